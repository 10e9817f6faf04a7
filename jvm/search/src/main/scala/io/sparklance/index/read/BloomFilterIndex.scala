package io.sparklance.index.read

import scala.util.Using

import io.sparklance.LanceFormatException
import io.sparklance.data.{Column, Fixed64Block, Fixed8Block, LittleEndian, Slice}
import io.sparklance.dataset.predicate.{BytesTest, NumberKeys, NumberTest, Predicate, ValueTest}
import io.sparklance.index.bloom.{BlockBloomFilter, XxHash64}
import io.sparklance.index.rows.{IdSet, IdSetCodec}
import io.sparklance.schema.{LogicalType, TimeUnit}

/** Searches Bloom filters: finds the zones that may have one of a few values.
  * {{{
  * bloomfilter.lance   u64 fragment_id, u64 zone_start, u64 zone_length, bool has_null, bloom_filter_data
  * metadata            null_bitmap: number of the global buffer with all rows that are null (IdSetCodec)
  * }}}
  * The file has several bytes for each row of the table, so only small ones are kept in memory.
  */
private[read] object BloomFilterIndex {
  final private val FileName = "bloomfilter.lance"
  final private val MaxFileBytes = 128L << 20
  private val names =
    Vector("fragment_id", "zone_start", "zone_length", "has_null", "bloom_filter_data")

  /** More values than that are searched by scans. */
  final private val MaxProbes = 256

  /** All filters, and the rows that are null, if recorded. */
  final private class Filters(val columns: Vector[Column], val nulls: Option[IdSet]) extends SegmentSummary {
    val weight: Long =
      1024 + columns.iterator.map(c => c.values.sizeInBytes + c.length).sum + nulls.fold(0L)(_.bytes)
  }

  def search(open: OpenSegment, predicate: Predicate): SearchResult =
    if (open.segment.files.sizes.get(FileName).exists(_ > MaxFileBytes)) SearchResult.ScanInstead
    else
      BloomTest.of(open.leaf.field.logicalType, predicate, MaxProbes).fold[SearchResult](
        SearchResult.ScanInstead
      ) { test =>
        keptOf(open) match {
          case Some(filters) =>
            val rows = new ZoneRows(open.covered)
            add(rows, filters.columns, filters.columns.head.length, test)
            result(rows, predicate, filters.nulls.map(nulls => () => nulls))
          case None => Using.resource(opened(open))(readOnce(open, _, predicate, test))
        }
      }

  /** Keeps the filters in memory, if they are small. Returns whether they are. */
  def prewarm(open: OpenSegment): Boolean = keptOf(open).isDefined

  private def keptOf(open: OpenSegment): Option[Filters] =
    SegmentCache.getOrRead(open.segment) { case filters: Filters => filters }(small(open))

  private def opened(open: OpenSegment): IndexFile = IndexFile.open(open.store, open.segment, FileName)

  /** Reads all filters if they may be kept. */
  private def small(open: OpenSegment): Option[Filters] =
    if (!open.segment.files.sizes.get(FileName).exists(_ <= SegmentCache.Share)) None
    else
      Using.resource(opened(open)) { file =>
        Option.when(isKnown(file)) {
          new Filters(file.readAll(names.map(file.column)), nullsOf(file).map(_.apply()))
        }
      }

  private def nullsOf(file: IndexFile): Option[() => IdSet] =
    file.metadata.get("null_bitmap").map(number => () => IdSetCodec.parse(file.buffer(number)))

  private def isKnown(file: IndexFile): Boolean = file.isReadable && file.has("zone_length")

  private def readOnce(
      open: OpenSegment,
      file: IndexFile,
      predicate: Predicate,
      test: BloomTest
  ): SearchResult =
    if (!isKnown(file)) SearchResult.Unusable
    else {
      val rows = new ZoneRows(open.covered)
      file.read(names.map(file.column)) { (columns, count) =>
        add(rows, columns, count, test)
        true
      }
      result(rows, predicate, nullsOf(file))
    }

  private def add(rows: ZoneRows, columns: Vector[Column], count: Int, test: BloomTest): Unit = {
    val places = columns.take(3).map(IndexFile.longs(_, count))
    val hasNull = flags(columns(3))
    val filters = IndexFile.byteStrings(columns(4), count)
    var i = 0
    while (i < count) {
      val mayPass = test.mayPass(hasNull(i) != 0, IndexFile.bytesAt(filters, i))
      rows.add(places(0)(i), places(1)(i), places(2)(i), mayPass)
      i += 1
    }
  }

  /** @param nulls reads the rows that are null, if they are recorded */
  private def result(rows: ZoneRows, predicate: Predicate, nulls: Option[() => IdSet]): SearchResult =
    (predicate, nulls) match {
      case (Predicate.IsNull(_), Some(recorded)) => rows.withNulls(recorded())
      case (_, recorded) => rows.result(needsAll = recorded.isEmpty)
    }

  private def flags(column: Column): Array[Byte] = column.values match {
    case block: Fixed8Block => block.values
    case other =>
      throw new LanceFormatException(s"flags of an index in a column of ${other.getClass.getSimpleName}")
  }
}

/** A predicate that Bloom filters can answer. */
sealed private[read] trait BloomTest {

  /** Whether rows of a zone with such a filter may pass. */
  def mayPass(hasNull: Boolean, filter: Slice): Boolean
}

private[read] object BloomTest {
  final private case class OneOf(hashes: Vector[Long]) extends BloomTest {
    def mayPass(hasNull: Boolean, filter: Slice): Boolean =
      hashes.exists(BlockBloomFilter.mayContain(filter, _))
  }
  private case object IsNull extends BloomTest {
    def mayPass(hasNull: Boolean, filter: Slice): Boolean = hasNull
  }
  final private case class All(tests: Vector[BloomTest]) extends BloomTest {
    def mayPass(hasNull: Boolean, filter: Slice): Boolean =
      tests.forall(_.mayPass(hasNull, filter))
  }
  final private case class Any(tests: Vector[BloomTest]) extends BloomTest {
    def mayPass(hasNull: Boolean, filter: Slice): Boolean =
      tests.exists(_.mayPass(hasNull, filter))
  }

  /** Returns None if Bloom filters say nothing about the predicate. */
  def of(logicalType: LogicalType, predicate: Predicate, maxProbes: Int): Option[BloomTest] =
    predicate match {
      case Predicate.IsNull(_) => Some(IsNull)
      case Predicate.Passes(_, test) =>
        probes(logicalType, test).filter(_.size <= maxProbes).map(values =>
          OneOf(values.map(XxHash64.hash(_)))
        )
      case Predicate.AllOf(operands) =>
        val known = operands.flatMap(of(logicalType, _, maxProbes))
        Option.when(known.nonEmpty)(All(known))
      case Predicate.AnyOf(operands) =>
        val known = operands.flatMap(of(logicalType, _, maxProbes))
        Option.when(known.size == operands.size)(Any(known))
      case Predicate.Never | Predicate.Unknown => Some(Any(Vector.empty))
      case Predicate.Always | Predicate.NotNull(_) | Predicate.Fails(_, _) => None
    }

  /** Returns the stored bytes of the values that pass a test, if they are few. */
  private def probes(logicalType: LogicalType, test: ValueTest): Option[Vector[Array[Byte]]] = test match {
    case BytesTest.SameAs(value) => Some(Vector(value.toArray))
    case BytesTest.OneOf(values) => Some(values.map(_.toArray))
    case NumberTest.Within(key, most) if key == most => numbers(logicalType, Vector(key))
    case NumberTest.OneOf(keys) => numbers(logicalType, keys.toVector)
    case NumberTest.Within(_, _) | BytesTest.Before(_) | BytesTest.NotAfter(_) | BytesTest.StartsWith(_) |
        BytesTest.EndsWith(_) | BytesTest.Contains(_) =>
      None
  }

  /** Each NaN is another value in a Bloom filter, so filters cannot rule NaN out. */
  private def numbers(logicalType: LogicalType, keys: Vector[Long]): Option[Vector[Array[Byte]]] = for {
    width <- widthOf(logicalType)
    all <- NumberKeys.of(logicalType)
    if !all.nan.exists(keys.contains)
  } yield {
    val block = new Fixed64Block
    keys.foreach(all.append(_, block))
    val stored = block.values.take(keys.size).toVector
    val negativeZero = Option.when(all.nan.isDefined && keys.contains(0L))(1L << 8 * width - 1)
    (stored ++ negativeZero).map { bits =>
      val bytes = new Array[Byte](8)
      LittleEndian.putLong(bytes, 0, bits)
      bytes.take(width)
    }
  }

  /** Bytes of a stored value. */
  private def widthOf(logicalType: LogicalType): Option[Int] = logicalType match {
    case LogicalType.Integer(bits, _) => Some(bits / 8)
    case LogicalType.FloatingPoint(bits) => Some(bits / 8)
    case LogicalType.Date32 | LogicalType.Time(TimeUnit.Second | TimeUnit.Millisecond) => Some(4)
    case LogicalType.Date64 | LogicalType.Time(_) | LogicalType.Timestamp(_, _) => Some(8)
    case LogicalType.Null | LogicalType.Bool | LogicalType.Utf8(_) | LogicalType.Binary(_) |
        LogicalType.FixedSizeBinary(_) | LogicalType.Decimal(_, _, _) | LogicalType.Duration(_) |
        LogicalType.FixedSizeList(_, _) | LogicalType.BFloat16 | LogicalType.Struct |
        LogicalType.List(_, _) | LogicalType.Map | LogicalType.Dictionary(_, _) | LogicalType.Json |
        LogicalType.Blob | LogicalType.Unknown(_) =>
      None
  }
}
