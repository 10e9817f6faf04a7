package io.sparklance.spark.index

import io.sparklance.index.build.{IndexedRows, KeyedPostings, PostingsTable}

/** Row sets of a split by key. A set is split where the sets in memory exceed a limit. Runs in a task. */
final private[index] class PostingsRows[K <: AnyRef](rows: IndexedRows, source: PostingsSource[K])
    extends Iterator[KeyedPostings[K]] {
  private val table = new PostingsTable(source.keys)
  private var full = Iterator.empty[KeyedPostings[K]]
  private var hasMore = true

  def hasNext: Boolean = {
    while (!full.hasNext && hasMore) fill()
    full.hasNext
  }

  def next(): KeyedPostings[K] = {
    if (!hasNext) throw new NoSuchElementException
    full.next()
  }

  private def fill(): Unit = {
    while (hasMore && table.sizeInBytes < PostingsRows.MaxBytes) {
      hasMore = rows.next()
      if (hasMore) addBatch()
    }
    full = table.drain()
  }

  private def addBatch(): Unit = {
    var i = 0
    while (i < rows.count) {
      source.add(rows, i, table)
      i += 1
    }
  }
}

private object PostingsRows {

  /** Bytes of the sets that a task holds. */
  private val MaxBytes = 64L << 20
}
