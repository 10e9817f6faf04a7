package io.sparklance.dataset.scan

import io.sparklance.data.Column
import io.sparklance.dataset.order.TopBound
import io.sparklance.io.ObjectStore

/** Reads the tasks of a split one after the other. A fragment is closed when its rows are used up. On stores
  * that are read ahead, the next ones are opened before that.
  */
final private[sparklance] class SplitReader(store: ObjectStore, split: Split, batchRows: Int)
    extends AutoCloseable {
  private val waiting = new FragmentQueue(
    store,
    split.tasks.iterator.flatMap(task => split.sample.fold(Iterator.single(task))(_.of(task))),
    split.top.map(new TopBound(_)),
    batchRows,
    isSparse = split.tasks.iterator.map(_.rows.count).sum <= SplitReader.FewRows
  )
  private var closedStats = ReadStats.none
  private var current: Option[(FragmentTask, FragmentReader)] = None

  /** Moves to the next batch, which has at least one row; false at the end. */
  def next(): Boolean = {
    var found = advance()
    while (!found && waiting.hasNext) {
      closeCurrent()
      current = Some(waiting.next())
      found = advance()
    }
    found
  }

  private def advance(): Boolean = current.exists { case (_, reader) =>
    waiting.lookAhead(reader)
    reader.next()
  }

  /** The task that the batch belongs to. */
  def task: FragmentTask = current.fold(throw new IllegalStateException("there is no batch"))(_._1)

  /** The batch's columns, as in [[FragmentReader.columns]]. */
  def columns: Vector[Column] = reader.columns
  def rowCount: Int = reader.rowCount

  /** Describes the position of a row of the batch, for messages. */
  def place(row: Int): String =
    current.fold("")(c => s"row ${c._2.position(row)} of fragment ${c._1.fragmentId}")

  /** Statistics of all batches so far. */
  def stats: ReadStats = current.fold(closedStats)(closedStats + _._2.stats)

  def close(): Unit =
    try closeCurrent()
    finally waiting.close()

  private def closeCurrent(): Unit = {
    val last = current
    current = None
    last.foreach { case (_, reader) =>
      closedStats += reader.stats
      reader.close()
    }
  }

  private def reader: FragmentReader =
    current.fold(throw new IllegalStateException("there is no batch"))(_._2)
}

private object SplitReader {

  /** Rows of a split whose fragments are read side by side. */
  final private val FewRows = 1L << 12
}
