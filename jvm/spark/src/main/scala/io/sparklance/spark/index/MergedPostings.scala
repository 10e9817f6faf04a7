package io.sparklance.spark.index

import scala.collection.BufferedIterator

import io.sparklance.index.build.{IndexKeys, KeyedPostings, Postings}

/** Row sets of many tasks, sorted by group and key. */
private[index] object MergedPostings {

  /** Merges consecutive sets of the same key. None stands for null. */
  def of[K <: AnyRef](
      sorted: BufferedIterator[KeyedPostings[K]],
      keys: IndexKeys[K]
  ): Iterator[(Option[K], Postings)] = new Iterator[(Option[K], Postings)] {
    def hasNext: Boolean = sorted.hasNext
    def next(): (Option[K], Postings) = {
      val key = Option(sorted.head.key)
      val rows = new Postings
      while (sorted.hasNext && same(key, Option(sorted.head.key))) rows.addEncoded(sorted.next().rows)
      (key, rows)
    }

    private def same(a: Option[K], b: Option[K]): Boolean =
      a.isEmpty && b.isEmpty || a.exists(x => b.exists(keys.compare(x, _) == 0))
  }

  /** Takes the null lists, which come first. */
  def nullLists[K](sorted: BufferedIterator[KeyedPostings[K]]): Postings = {
    val rows = new Postings
    while (sorted.headOption.exists(_.group == KeyedPostings.NullLists)) rows.addEncoded(sorted.next().rows)
    rows
  }
}
