package io.sparklance.index.read

import scala.util.Using

import io.sparklance.data.{BlockRange, Column, ColumnCopy, RowRanges}
import io.sparklance.{LanceFormatException, WeightedCache}

/** A page of a B-tree: sorted values, and the rows that have them. */
final private[read] class KeyPage(val values: Column, val ids: Array[Long]) {
  def weight: Long = values.values.sizeInBytes + 9L * ids.length + 256
}

/** Pages that look-ups of keys used last. Files of a segment never change. */
private[read] object BTreePages {
  final private case class Key(directory: String, file: String, page: Int)

  private val kept =
    new WeightedCache[Key, KeyPage](math.min(128L << 20, Runtime.getRuntime.maxMemory / 24))

  /** Returns the pages with some rows of a file. Those that are not kept are requested together. */
  def of(open: OpenSegment, part: BTreePart, rows: RowRanges): Vector[KeyPage] = {
    val numbers = pagesOf(part, rows)
    def key(page: Int) = Key(open.segment.files.directory, part.file, page)
    val known = numbers.flatMap(page => kept.find(key(page)).map(page -> _)).toMap
    val missing = numbers.filterNot(known.contains)
    val read = if (missing.isEmpty) Vector.empty else missing.zip(stored(open, part, missing))
    read.foreach { case (number, page) => kept.put(key(number), page, page.weight) }
    val all = known ++ read
    numbers.map(all)
  }

  /** Forgets all pages. */
  def clear(): Unit = kept.clear()

  private def pagesOf(part: BTreePart, rows: RowRanges): Vector[Int] = {
    val perPage = part.pages.rowsPerZone
    rows.ranges.flatMap(range => (range.start / perPage).toInt to ((range.end - 1) / perPage).toInt).distinct
  }

  private def stored(open: OpenSegment, part: BTreePart, numbers: Vector[Int]): Vector[KeyPage] =
    Using.resource(IndexFile.open(open.store, open.segment, part.file)) { file =>
      val lengths = numbers.map(part.pages.zone(_).length.toInt).iterator
      val pages = Vector.newBuilder[KeyPage]
      var values, ids = Option.empty[Column]
      var left = lengths.nextOption().getOrElse(0)
      file.read(Vector(0, 1), RowRanges.of(numbers.map(part.pages.zone))) { (columns, count) =>
        var from = 0
        while (from < count) {
          val until = math.min(count, from + left)
          values = Some(appended(columns(0), from, until, values))
          ids = Some(appended(columns(1), from, until, ids))
          left -= until - from
          from = until
          if (left == 0) {
            for (v <- values; i <- ids) pages += new KeyPage(v, IndexFile.longs(i, i.length).take(i.length))
            values = None
            ids = None
            left = lengths.nextOption().getOrElse(Int.MaxValue)
          }
        }
        true
      }
      val found = pages.result()
      if (found.size != numbers.size)
        throw new LanceFormatException(s"${found.size} pages of a B-tree, of ${numbers.size}")
      found
    }

  private def appended(source: Column, from: Int, until: Int, to: Option[Column]): Column = {
    val target = to.getOrElse(new Column(BlockRange.copy(source.values, 0, 0)))
    ColumnCopy.append(source, from, until, target)
    target
  }
}
