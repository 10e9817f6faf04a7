package io.sparklance.index.read

import scala.util.Using

import io.sparklance.LanceFormatException
import io.sparklance.data.{BlockRange, Column, ColumnCopy, RowRange, RowRanges}
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.statistics.{ColumnStatistics, ZoneFacts, ZoneFilter}

/** A file of sorted values.
  *
  * @param start
  *   number of its first row among those of all files
  * @param pages
  *   statistics of its pages
  */
final private[read] case class BTreePart(file: String, start: Long, pages: ColumnStatistics) {
  def end: Long = start + pages.rows
}

/** The pages of a B-tree: those of one file, or of several files that follow one another. */
final private[read] class BTreeLookup(val parts: Vector[BTreePart]) extends SegmentSummary {

  def weight: Long = 256 + parts.iterator.map { part =>
    part.pages.bounds match {
      case bytes: ZoneFacts.Bytes =>
        128L * part.pages.zones + bytes.least.iterator.map(_.length.toLong).sum * 2
      case _: ZoneFacts.Numbers | ZoneFacts.Unknown => 32L * part.pages.zones
    }
  }.sum

  /** Number of entries. */
  def rows: Long = parts.lastOption.fold(0L)(_.end)

  /** Number of entries of nulls, which come first. */
  def nulls: Long = parts.iterator.map { part =>
    (0 until part.pages.zones).iterator.map(part.pages.nulls(_).toLong).sum
  }.sum

  /** Returns the rows of the pages that may have passing values. */
  def rowsOf(predicate: Predicate): RowRanges =
    new ZoneFilter(rows, _ => parts.map(_.pages)).rowsOf(predicate)

  /** Number of pages with some of these rows. */
  def pages(rows: RowRanges): Long = parts.iterator.map { part =>
    val own = rows.intersect(RowRange(part.start, part.end)).relativeTo(part.start)
    own.ranges.iterator.map { range =>
      (range.end - 1) / part.pages.rowsPerZone - range.start / part.pages.rowsPerZone + 1
    }.sum
  }.sum
}

private[read] object BTreeLookup {
  final private val DefaultPageRows = "4096"

  // More than that is not kept in memory. Four million pages have 16 billion rows.
  final private val MaxPages = 1 << 22
  final private val MaxFileBytes = 256L << 20
  final private val Plain = "page_data.lance"
  final private val Lookup = "page_lookup.lance"
  final private val LookupOfPart = "(part_\\d+)_page_lookup\\.lance".r

  /** Returns None for a form that is not used. */
  def of(open: OpenSegment): Option[BTreeLookup] = {
    val segment = open.segment
    val names = if (segment.files.sizes.isEmpty) Vector(Lookup) else segment.files.sizes.keys.toVector
    val found = names.find(_ == Lookup).map(_ -> Plain).orElse(names.collect {
      case name @ LookupOfPart(part) => name -> s"${part}_$Plain"
    } match {
      case Vector(only) => Some(only)
      case _ => None
    })
    found.flatMap { case (lookup, data) =>
      if (segment.files.sizes.get(lookup).exists(_ > MaxFileBytes)) None
      else
        SegmentCache.getOrRead(segment) { case tree: BTreeLookup => tree } {
          Using.resource(IndexFile.open(open.store, segment, lookup))(parse(open, _, data))
        }
    }
  }

  private def parse(open: OpenSegment, file: IndexFile, data: String): Option[BTreeLookup] =
    if (!file.isReadable || file.rows > MaxPages) None
    else {
      file.checkColumns(4)
      val fits = file.fields.take(2).map(_.logicalType) == Vector.fill(2)(open.leaf.field.logicalType)
      Option.when(fits)(()).flatMap { _ =>
        val columns = file.readAll(Vector(0, 1, 2, 3))
        checkOrder(columns(3), file.rows.toInt)
        val pageRows = positive(file.metadata.getOrElse("batch_size", DefaultPageRows))
        val counts = filesOf(file, data)
        if (counts.map(_._2).sum != file.rows)
          throw new LanceFormatException(
            s"${file.rows} pages of a B-tree whose files have ${counts.map(_._2).sum}"
          )
        val starts = counts.scanLeft(0)(_ + _._2.toInt)
        val parts = counts.zip(starts).map { case ((name, pages), first) =>
          part(open, name, columns, first, pages.toInt, pageRows)
        }
        Option.when(parts.forall(_.isDefined))(new BTreeLookup(placed(parts.flatten)))
      }
    }

  /** Returns the files of values, in their order, with their numbers of pages. */
  private def filesOf(file: IndexFile, data: String): Vector[(String, Long)] =
    if (!file.metadata.get("range_partitioned").contains("true")) Vector(data -> file.rows)
    else {
      val text = file.metadata.getOrElse("page_num_per_range_partition", "").filterNot(_.isWhitespace)
      if (!text.matches("\\[(\\[\\d{1,19},\\d{1,9}\\],?)*\\]"))
        throw new LanceFormatException(s"the parts of a B-tree are '$text'")
      "\\d+".r.findAllIn(text).toVector.grouped(2).map(pair =>
        s"part_${pair.head}_$Plain" -> pair(1).toLong
      ).toVector
    }

  private def part(
      open: OpenSegment,
      name: String,
      columns: Vector[Column],
      first: Int,
      pages: Int,
      pageRows: Int
  ): Option[BTreePart] = Using.resource(IndexFile.open(open.store, open.segment, name)) { file =>
    if (file.isReadable) file.checkColumns(2)
    val fits = file.isReadable &&
      file.fields.headOption.map(_.logicalType).contains(open.leaf.field.logicalType)
    Option.when(fits) {
      val rows = file.rows
      if (rows > pages.toLong * pageRows || rows <= (pages - 1L) * pageRows)
        throw new LanceFormatException(s"$name has $rows rows in $pages pages of $pageRows")
      val own = columns.map(slice(_, first, pages))
      val bounds = StoredBounds.of(open.leaf.field.logicalType, own(0), own(1), pages)
      val counts = IndexFile.counts(own(2), pages).take(pages)
      BTreePart(name, 0, statistics(rows, pageRows, counts, bounds))
    }
  }

  private def statistics(
      rows: Long,
      pageRows: Int,
      nulls: Array[Int],
      bounds: ZoneFacts
  ): ColumnStatistics = {
    val pages = new ColumnStatistics(pageRows, rows, nulls, bounds)
    nulls.indices.find(i => nulls(i) > pages.zone(i).length).foreach { i =>
      throw new LanceFormatException(
        s"page $i of a B-tree has ${nulls(i)} nulls in ${pages.zone(i).length} rows"
      )
    }
    pages
  }

  private def placed(parts: Vector[BTreePart]): Vector[BTreePart] =
    parts.zip(parts.scanLeft(0L)(_ + _.pages.rows)).map { case (part, start) => part.copy(start = start) }

  private def checkOrder(numbers: Column, count: Int): Unit = {
    val found = IndexFile.counts(numbers, count)
    (0 until count).find(i => found(i) != i).foreach { i =>
      throw new LanceFormatException(s"entry $i of a B-tree's lookup is of page ${found(i)}")
    }
  }

  private def slice(column: Column, from: Int, count: Int): Column =
    if (from == 0 && count == column.length) column
    else {
      val out = new Column(BlockRange.copy(column.values, 0, 0))
      ColumnCopy.append(column, from, from + count, out)
      out
    }

  private def positive(text: String): Int = text.toIntOption.filter(_ > 0).getOrElse(
    throw new LanceFormatException(s"a B-tree with pages of '$text' rows")
  )
}
