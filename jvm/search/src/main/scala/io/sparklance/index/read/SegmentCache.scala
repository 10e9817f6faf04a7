package io.sparklance.index.read

import io.sparklance.WeightedCache
import io.sparklance.index.IndexSegment

/** The part of a segment that each search needs, such as the pages of a B-tree. */
private[read] trait SegmentSummary {

  /** Approximate bytes in memory. */
  def weight: Long
}

/** Summaries of the segments that were searched last, by directory. Files of a segment never change. A copy
  * of a table has the same uuids, and may be another table by now.
  */
private[index] object SegmentCache {
  private val capacity = math.min(256L << 20, Runtime.getRuntime.maxMemory / 8)
  private val shared = new WeightedCache[String, SegmentSummary](capacity)

  /** Largest part of the cache, in bytes, that an optional summary may take. */
  private[read] val Share: Long = capacity / 8

  /** Returns the kept summary, or keeps the one that `read` returns. */
  private[read] def getOrRead[A <: SegmentSummary](segment: IndexSegment)(kept: PartialFunction[
    SegmentSummary,
    A
  ])(read: => Option[A]): Option[A] = shared.find(segment.files.directory).collect(kept).orElse {
    val summary = read
    summary.foreach(s => shared.put(segment.files.directory, s, s.weight))
    summary
  }

  /** Forgets all segments. */
  private[index] def clear(): Unit = {
    shared.clear()
    BTreePages.clear()
  }
}
