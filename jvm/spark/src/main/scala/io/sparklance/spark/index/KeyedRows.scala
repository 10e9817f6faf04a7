package io.sparklance.spark.index

import org.apache.spark.TaskContext

import io.sparklance.dataset.scan.Split
import io.sparklance.index.build.{IndexKeys, IndexedRows}
import io.sparklance.spark.session.TableLocation

/** Rows of a split as pairs of a key, null for null, and the row's number. Runs in a task. */
final private[index] class KeyedRows[K <: AnyRef](rows: IndexedRows, keys: IndexKeys[K])
    extends Iterator[(K, Long)] {
  private var at, count = 0

  def hasNext: Boolean = {
    while (at == count && rows.next()) {
      at = 0
      count = rows.count
    }
    if (at == count) rows.close()
    at < count
  }

  def next(): (K, Long) = {
    if (!hasNext) throw new NoSuchElementException
    val key = if (rows.isNull(at)) null.asInstanceOf[K] else keys.of(rows.values.values, at)
    val row = (key, rows.number(at))
    at += 1
    row
  }
}

private[index] object KeyedRows {

  def of[K <: AnyRef](
      location: TableLocation,
      split: Split,
      depth: Int,
      keys: IndexKeys[K]
  ): Iterator[(K, Long)] = new KeyedRows(open(location, split, depth), keys)

  /** Opens a split, and closes it at the end of the task. */
  def open(location: TableLocation, split: Split, depth: Int): IndexedRows = {
    val rows = new IndexedRows(location.store, split, depth)
    TaskContext.get().addTaskCompletionListener[Unit](_ => rows.close())
    rows
  }
}
