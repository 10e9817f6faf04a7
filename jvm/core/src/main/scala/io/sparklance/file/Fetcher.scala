package io.sparklance.file

import io.sparklance.data.{ByteRange, Slice}
import io.sparklance.io.{IoClient, RangeCoalescer, Read, ReadBudget, ReadableFile}

/** Fetches byte ranges of a file for a scan, near ones together. */
final private[file] class Fetcher(
    file: ReadableFile,
    io: IoClient,
    budget: ReadBudget,
    columnCount: Int,
    counts: ScanCounts
) {

  /** The bytes that a column asks for at a time, about. */
  val windowBytes: Int =
    math.max(16L << 10, math.min(256L << 10, (64L << 20) / math.max(1, columnCount))).toInt

  /** The longest gap between two ranges that is read rather than skipped. */
  def maxGap: Long = io.profile.maxGap

  /** The longest request. */
  def maxLength: Long = io.profile.maxLength

  /** Reads ranges at once, into arrays that the caller owns. */
  def read(ranges: Vector[ByteRange]): Vector[Slice] = FileRanges.read(file, ranges)

  /** A fetch to [[begin]]. Refuses ranges outside of the file.
    *
    * @param gap
    *   bytes before the ranges that are probably read with them
    */
  def fetch(ranges: Vector[ByteRange], row: Long, gap: Long = 0): Fetch = Fetch.of(file, ranges, row, gap)

  /** Whether the budget is not used up. */
  def hasRoom: Boolean = budget.room > 0

  /** Requests the bytes of all `fetches`, with few requests. */
  def begin(fetches: Vector[Fetch]): Unit = {
    val wanted = for (f <- fetches; i <- f.ranges.indices if f.ranges(i).length > 0) yield (f, i)
    val groups = RangeCoalescer.coalesce(
      wanted.map { case (fetch, i) => fetch.ranges(i) },
      io.profile.maxGap,
      io.profile.maxLength
    )
    val reads = groups.flatMap { group =>
      val members = group.members.map(wanted)
      val array = io.buffers.take(group.range.length.toInt)
      val row = members.iterator.map(_._1.row).min
      val parts = RangeCoalescer.split(group.range, io.profile.maxLength).map { part =>
        new Read(file, part, row, array, (part.offset - group.range.offset).toInt)
      }
      val buffer = new SharedBuffer(group.range.offset, array, parts, members.size)
      members.foreach { case (fetch, i) => fetch.place(i, buffer) }
      parts
    }
    fetches.foreach(_.begin(budget))
    io.begin(reads)
  }

  def await(fetch: Fetch): Vector[Slice] = fetch.await(io)
  def release(fetch: Fetch): Unit = fetch.release(io, budget)

  /** Frees the charge for the first bytes of a fetch. */
  def spend(fetch: Fetch, bytes: Long): Unit = fetch.spend(bytes, budget)

  def plannedPages(count: Int): Unit = counts.plannedPages(count)
  def openedPage(): Unit = counts.openedPage()
}
