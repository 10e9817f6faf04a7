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

  /** Passes the pages with some rows of a file on, one after the other, since all of them may be more than
    * memory holds. Those that are not kept are requested together, and come last.
    */
  def foreach(open: OpenSegment, part: BTreePart, rows: RowRanges)(use: KeyPage => Unit): Unit = {
    def key(page: Int) = Key(open.segment.files.directory, part.file, page)
    val missing = pagesOf(part, rows).filter { number =>
      val page = kept.find(key(number))
      page.foreach(use)
      page.isEmpty
    }
    if (missing.nonEmpty) read(open, part, missing) { (number, page) =>
      kept.put(key(number), page, page.weight)
      use(page)
    }
  }

  /** Forgets all pages. */
  def clear(): Unit = kept.clear()

  private def pagesOf(part: BTreePart, rows: RowRanges): Vector[Int] = {
    val perPage = part.pages.rowsPerZone
    rows.ranges.flatMap(range => (range.start / perPage).toInt to ((range.end - 1) / perPage).toInt).distinct
  }

  private def read(open: OpenSegment, part: BTreePart, numbers: Vector[Int])(
      use: (Int, KeyPage) => Unit
  ): Unit =
    Using.resource(IndexFile.open(open.store, open.segment, part.file)) { file =>
      def length(at: Int) = numbers.lift(at).fold(Int.MaxValue)(part.pages.zone(_).length.toInt)
      var values, ids = Option.empty[Column]
      var done = 0
      var left = length(done)
      file.read(Vector(0, 1), RowRanges.of(numbers.map(part.pages.zone))) { (columns, count) =>
        var from = 0
        while (from < count) {
          val until = math.min(count, from + left)
          values = Some(appended(columns(0), from, until, values))
          ids = Some(appended(columns(1), from, until, ids))
          left -= until - from
          from = until
          if (left == 0) {
            for (v <- values; i <- ids)
              use(numbers(done), new KeyPage(v, IndexFile.longs(i, i.length).take(i.length)))
            values = None
            ids = None
            done += 1
            left = length(done)
          }
        }
        true
      }
      if (done != numbers.size)
        throw new LanceFormatException(s"$done pages of a B-tree, of ${numbers.size}")
    }

  private def appended(source: Column, from: Int, until: Int, to: Option[Column]): Column = {
    val target = to.getOrElse(new Column(BlockRange.copy(source.values, 0, 0)))
    ColumnCopy.append(source, from, until, target)
    target
  }
}
