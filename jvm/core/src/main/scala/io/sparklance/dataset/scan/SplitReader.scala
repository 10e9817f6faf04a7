package io.sparklance.dataset.scan

import java.util.concurrent.CompletableFuture

import scala.collection.mutable

import io.sparklance.data.Column
import io.sparklance.dataset.order.TopBound
import io.sparklance.io.{Closing, IoScheduler, IoTask, ObjectStore}

/** Reads the tasks of a split one after the other. A fragment is closed when its rows are used up. On stores
  * that are read ahead, the next ones are opened before that.
  */
final private[sparklance] class SplitReader(store: ObjectStore, split: Split, batchRows: Int)
    extends AutoCloseable {
  private val waiting = new FragmentQueue(
    store,
    split.tasks.iterator.flatMap(task => split.sample.fold(Iterator.single(task))(_.of(task))),
    split.top.map(new TopBound(_)),
    batchRows
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

/** The fragments that a split still has to read. If the store is read ahead, the next ones are opened side by
  * side while one is read, and their bytes are requested once all of that one are.
  */
final private class FragmentQueue(
    store: ObjectStore,
    tasks: Iterator[FragmentTask],
    top: Option[TopBound],
    batchRows: Int
) extends AutoCloseable {
  private val io = IoScheduler.shared.task(store.profile)
  private val opening = mutable.Queue.empty[UpcomingFragment]
  private var begun = 0
  // Files of fragments that are opened ahead: few at first, since a query may end early.
  private var width = if (io.isAhead) math.min(FragmentQueue.FirstWidth, mostFiles) else 0

  def hasNext: Boolean = opening.nonEmpty || tasks.hasNext

  /** Waits until the next fragment is open. */
  def next(): (FragmentTask, FragmentReader) = {
    if (opening.isEmpty) open()
    // It stays in the queue, which closes it, until it is open.
    val next = opening.head
    while (tasks.hasNext && opening.iterator.drop(1).map(f => math.max(1, f.files)).sum < width) open()
    width = math.min(2 * width, mostFiles)
    val reader = next.reader
    val _ = opening.dequeue()
    next.task -> reader
  }

  /** Requests what `current` takes, and then what the fragments after it do. */
  def lookAhead(current: FragmentReader): Unit = if (io.isAhead) {
    val isComplete = current.lookAhead()
    if (isComplete || current.hasBegun)
      opening.iterator.takeWhile(f => f.isOpen && hasRoom).foreach(_.reader.request())
    if (isComplete) lookFurther()
  }

  /** Evaluates the filters of the fragments after the current one, and requests their other columns. */
  private def lookFurther(): Unit = {
    var rows = 0L
    val next = opening.iterator.takeWhile(_.isOpen).map(_.reader).takeWhile(_.hasBegun)
    while (rows < mostRows && next.hasNext) {
      val reader = next.next()
      rows = if (reader.lookAhead()) rows + math.max(1, reader.candidates) else Long.MaxValue
    }
  }

  /** Whether requests for the filters of later fragments leave room for other columns of earlier ones. */
  private def hasRoom: Boolean = io.room > io.share / 2

  /** Few rows are found for an order, and later ones displace some of them. */
  private def mostRows: Long = top.fold(FragmentQueue.MostRows)(_ => 16 * FragmentQueue.MostRows)

  private def mostFiles: Int = 2 * store.profile.firstRequests

  private def open(): Unit = {
    val task = tasks.next()
    val number = begun
    begun += 1
    val opened = io.fork(OpenFragment.of(FragmentPlan.of(task, top.map(_.order)), store, io, number, top))
    opening += new UpcomingFragment(task, opened, batchRows, top)
  }

  def close(): Unit = {
    io.close()
    Closing.all(opening.removeAll())
  }
}

private object FragmentQueue {
  final private val FirstWidth = 4

  /** Rows that are tested by a filter ahead of those that are completed. */
  final private val MostRows = 1L << 20
}

/** A fragment that is being opened. */
final private class UpcomingFragment(
    val task: FragmentTask,
    opened: CompletableFuture[OpenFragment],
    batchRows: Int,
    top: Option[TopBound]
) extends AutoCloseable {
  private var made = Option.empty[FragmentReader]

  /** The number of its files, or more if it has many columns, whose metadata takes memory. */
  def files: Int =
    math.max(task.files.size, task.files.iterator.map(_.fieldIds.size).sum / UpcomingFragment.FieldsOfFile)

  /** Whether its reader is there without waiting. */
  def isOpen: Boolean = opened.isDone && !opened.isCompletedExceptionally

  /** Waits until the fragment is open. */
  def reader: FragmentReader = made.getOrElse {
    val reader = FragmentReader.of(IoTask.result(opened), batchRows, top)
    made = Some(reader)
    reader
  }

  /** Closes the fragment as soon as it is open, without waiting for that. */
  def close(): Unit = {
    val _ = opened.thenAccept(_.close())
  }
}

private object UpcomingFragment {
  final private val FieldsOfFile = 64
}
