package io.sparklance.file

import io.sparklance.data.{ByteRange, Slice}
import io.sparklance.io.{IoClient, RangeCoalescer, Read, ReadBudget}

/** Fetches byte ranges of a file for a scan, near ones together. */
final private[file] class Fetcher(
    file: TailedFile,
    io: IoClient,
    budget: ReadBudget,
    columnCount: Int,
    counts: ScanCounts
) {
  private def cache = MetadataCache.shared

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
  def fetch(ranges: Vector[ByteRange], row: Long, gap: Long = 0): Fetch =
    Fetch.of(file, ranges, row, gap, ranges.map(file.inMemory))

  /** A fetch of what opens a page, as far as no task has kept it. */
  def fetchOpening(ranges: Vector[ByteRange], row: Long): Fetch =
    Fetch.of(file, ranges, row, gap = 0, kept(ranges))

  /** Whether all that opens a page is kept. */
  def keeps(ranges: Vector[ByteRange]): Boolean = kept(ranges).forall(_.isDefined)

  /** Keeps what opens a page for other tasks. */
  def keep(ranges: Vector[ByteRange], bytes: Vector[Slice]): Unit =
    ranges.zip(bytes).foreach { case (range, slice) =>
      if (file.inMemory(range).isEmpty) cache.keep(file, range, slice)
    }

  private def kept(ranges: Vector[ByteRange]): Vector[Option[Slice]] =
    ranges.map { range =>
      if (range.length == 0) Some(Slice.Empty) else file.inMemory(range).orElse(cache.find(file, range))
    }

  /** Whether the budget is not used up. */
  def hasRoom: Boolean = budget.room > 0

  /** Requests the bytes of all `fetches`, with few requests. */
  def begin(fetches: Vector[Fetch]): Unit = {
    val wanted = for (f <- fetches; i <- f.ranges.indices if f.isWanted(i)) yield (f, i)
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
