package io.sparklance.dataset.statistics

import java.nio.charset.StandardCharsets.UTF_8
import java.util.zip.CRC32C

import io.sparklance.LanceFormatException
import io.sparklance.data.{LittleEndian, Slice}
import io.sparklance.dataset.predicate.NumberKeys
import io.sparklance.schema.{LogicalType, LogicalTypes}

/** Statistics of a column in a data file, as a buffer of that column: see docs/statistics.md.
  * {{{
  *  0  "SLZ1"                        24  u8   kind: 0 nulls, 1 numbers, 2 or 4 floats, 3 bytes
  *  4  u32  CRC-32C of the rest      25  u8   length t of the type's name
  *  8  u32  the file's column        26  the type as in the schema: t bytes
  * 12  u32  rows of a zone           26 + t  for all z zones: nulls (u32 each), and
  * 16  u64  rows                             numbers: least keys, greatest keys (i64 each)
  *                                           floats: as numbers, NaN counts (u32 each), and if 4, flags (u8 each)
  *                                           bytes: flags, lengths of least, lengths of greatest (u8 each),
  *                                           and for each zone the least and the greatest
  * }}}
  * Flag 1: no upper bound, because all bytes of the cut value were 0xff. Flags 2 and 4: the lower, and the
  * upper, bound is an exact value, not a prefix; a zero is positive. Early files have no such flags. Other
  * numbers need none: their bounds are values, except for the smallest and the greatest key of long decimals.
  */
private[dataset] object StatisticsCodec {
  final private val Magic = 0x315a4c53
  final private val HeaderSize = 26
  final private val NoUpperBound = 1
  final private val LeastIsValue = 2
  final private val MostIsValue = 4

  final private val Nulls = 0
  final private val Numbers = 1
  final private val EarlyFloats = 2
  final private val Bytes = 3
  final private val Floats = 4

  def print(statistics: ColumnStatistics, column: Int, logicalType: LogicalType): Array[Byte] = {
    val name = LogicalTypes.print(logicalType).getBytes(UTF_8).take(255)
    val zones = statistics.zones
    val bytes =
      new Array[Byte](HeaderSize + name.length + 4 * zones + sizeOf(statistics.bounds, zones, logicalType))
    LittleEndian.putInt(bytes, 0, Magic)
    LittleEndian.putInt(bytes, 8, column)
    LittleEndian.putInt(bytes, 12, statistics.rowsPerZone)
    LittleEndian.putLong(bytes, 16, statistics.rows)
    bytes(24) = kindOf(statistics.bounds, logicalType).toByte
    bytes(25) = name.length.toByte
    System.arraycopy(name, 0, bytes, HeaderSize, name.length)
    val at = putInts(bytes, HeaderSize + name.length, statistics.nulls)
    putBounds(bytes, at, statistics.bounds, logicalType)
    signed(bytes)
  }

  /** Returns None for other bytes, damaged bytes, and statistics of another column or type. */
  def parse(bytes: Slice, column: Int, logicalType: LogicalType): Option[ColumnStatistics] =
    Option.when(
      bytes.length >= HeaderSize && bytes.int(0) == Magic && bytes.int(4) == checksum(bytes) &&
        bytes.int(8) == column &&
        nameOf(bytes).sameElements(LogicalTypes.print(logicalType).getBytes(UTF_8).take(255))
    )(parseZones(bytes, logicalType))

  /** Sets the checksum. */
  private[statistics] def signed(bytes: Array[Byte]): Array[Byte] = {
    LittleEndian.putInt(bytes, 4, checksum(Slice(bytes)))
    bytes
  }

  private def nameOf(bytes: Slice): Array[Byte] =
    bytes.slice(HeaderSize.toLong, bytes.unsignedByte(25).toLong, "the statistics' type").toArray

  private def parseZones(bytes: Slice, logicalType: LogicalType): ColumnStatistics = {
    val rowsPerZone = bytes.int(12)
    val rows = bytes.long(16)
    val from = HeaderSize + bytes.unsignedByte(25)
    val zones =
      if (rowsPerZone > 0 && rows >= 0) rows / rowsPerZone + (if (rows % rowsPerZone > 0) 1 else 0) else -1
    if (zones < 0 || zones > (bytes.length - from) / 4)
      refuse(s"of $rows rows by $rowsPerZone in ${bytes.length} bytes")
    val nulls = ints(bytes, from, zones.toInt)
    val bounds = parseBounds(bytes, from + 4 * zones.toInt, zones.toInt, logicalType)
    val statistics = new ColumnStatistics(rowsPerZone, rows, nulls, bounds)
    if ((0 until statistics.zones).exists(i => nulls(i) < 0 || nulls(i) > statistics.zone(i).length))
      refuse("of more nulls than rows")
    if ((0 until statistics.zones).exists(i => !canHaveNans(bounds, i, statistics.zone(i).length - nulls(i))))
      refuse("of more NaNs than values")
    if ((0 until statistics.zones).exists(i => statistics.hasValues(i) && isEmpty(bounds, i)))
      refuse("of values without a bound")
    statistics
  }

  private def canHaveNans(bounds: ZoneFacts, zone: Int, atMost: Long): Boolean = bounds match {
    case numbers: ZoneFacts.Numbers => numbers.nans(zone) >= 0 && numbers.nans(zone) <= atMost
    case _: ZoneFacts.Bytes | ZoneFacts.Unknown => true
  }

  private def isEmpty(bounds: ZoneFacts, zone: Int): Boolean = bounds match {
    case numbers: ZoneFacts.Numbers => numbers.least(zone) > numbers.most(zone) && numbers.nans(zone) == 0
    case _: ZoneFacts.Bytes | ZoneFacts.Unknown => false
  }

  private def parseBounds(bytes: Slice, at: Int, zones: Int, logicalType: LogicalType): ZoneFacts = {
    val kind = bytes.unsignedByte(24)
    val expected = expectedKind(logicalType)
    if (kind != Nulls && kind != expected && !(kind == EarlyFloats && expected == Floats))
      refuse(s"of kind $kind for a column of $logicalType")
    kind match {
      case Numbers | EarlyFloats | Floats =>
        NumberKeys.of(logicalType).fold[ZoneFacts](ZoneFacts.Unknown)(parseNumbers(
          bytes,
          at,
          zones,
          kind,
          _
        ))
      case Bytes => parseBytes(bytes, at, zones)
      case _ => ZoneFacts.Unknown
    }
  }

  private def parseNumbers(bytes: Slice, at: Int, zones: Int, kind: Int, keys: NumberKeys): ZoneFacts = {
    val least = longs(bytes, at, zones)
    val most = longs(bytes, at + 8 * zones, zones)
    val nans = if (kind == Numbers) new Array[Int](zones) else ints(bytes, at + 16 * zones, zones)
    val exactness =
      if (kind == Floats) exactnessOf(flags(bytes, at + 20 * zones, zones))
      else new ZoneFacts.Exactness(least.map(keys.tells), most.map(keys.tells))
    new ZoneFacts.Numbers(least, most, nans, exactness)
  }

  private def parseBytes(bytes: Slice, from: Int, zones: Int): ZoneFacts = {
    val least = new Array[Array[Byte]](zones)
    val most = new Array[ZoneFacts.UpperBound](zones)
    var at = from.toLong + 3L * zones
    var i = 0
    while (i < zones) {
      val lengths = (bytes.unsignedByte(from + zones + i), bytes.unsignedByte(from + 2 * zones + i))
      least(i) = bytes.slice(at, lengths._1.toLong, "a least value").toArray
      val upper = bytes.slice(at + lengths._1, lengths._2.toLong, "a greatest value").toArray
      most(i) =
        if ((bytes.unsignedByte(from + i) & NoUpperBound) != 0) ZoneFacts.Unbounded
        else ZoneFacts.AtMost(upper)
      at += lengths._1 + lengths._2
      i += 1
    }
    new ZoneFacts.Bytes(least, most, exactnessOf(flags(bytes, from, zones)))
  }

  private def exactnessOf(flags: Array[Byte]): ZoneFacts.Exactness = new ZoneFacts.Exactness(
    flags.map(f => (f & LeastIsValue) != 0),
    flags.map(f => (f & (MostIsValue | NoUpperBound)) == MostIsValue)
  )

  private def kindOf(bounds: ZoneFacts, logicalType: LogicalType): Int = bounds match {
    case ZoneFacts.Unknown => Nulls
    case _: ZoneFacts.Numbers | _: ZoneFacts.Bytes => expectedKind(logicalType)
  }

  private def expectedKind(logicalType: LogicalType): Int =
    NumberKeys.of(logicalType) match {
      case Some(keys) => if (keys.nan.isDefined) Floats else Numbers
      case None => if (BoundsCollector.isBytes(logicalType)) Bytes else Nulls
    }

  private def sizeOf(bounds: ZoneFacts, zones: Int, logicalType: LogicalType): Int = bounds match {
    case ZoneFacts.Unknown => 0
    case _: ZoneFacts.Numbers => (if (expectedKind(logicalType) == Floats) 21 else 16) * zones
    case bytes: ZoneFacts.Bytes =>
      3 * zones + bytes.least.iterator.map(_.length).sum + bytes.most.iterator.map(upper(_).length).sum
  }

  private def putBounds(out: Array[Byte], at: Int, bounds: ZoneFacts, logicalType: LogicalType): Unit =
    bounds match {
      case ZoneFacts.Unknown => ()
      case numbers: ZoneFacts.Numbers =>
        val end = putLongs(out, putLongs(out, at, numbers.least), numbers.most)
        if (expectedKind(logicalType) == Floats)
          putFlags(out, putInts(out, end, numbers.nans), numbers.exactness)
      case bytes: ZoneFacts.Bytes => putBytes(out, at, bytes)
    }

  private def putBytes(out: Array[Byte], from: Int, bounds: ZoneFacts.Bytes): Unit = {
    val zones = bounds.least.length
    var at = from + 3 * zones
    putFlags(out, from, bounds.exactness)
    bounds.least.zip(bounds.most).zipWithIndex.foreach { case ((least, most), i) =>
      val greatest = upper(most)
      if (most == ZoneFacts.Unbounded) out(from + i) = (out(from + i) | NoUpperBound).toByte
      out(from + zones + i) = least.length.toByte
      out(from + 2 * zones + i) = greatest.length.toByte
      System.arraycopy(least, 0, out, at, least.length)
      System.arraycopy(greatest, 0, out, at + least.length, greatest.length)
      at += least.length + greatest.length
    }
  }

  private def putFlags(out: Array[Byte], at: Int, exactness: ZoneFacts.Exactness): Unit =
    exactness.least.zip(exactness.most).zipWithIndex.foreach { case ((least, most), i) =>
      out(at + i) = ((if (least) LeastIsValue else 0) | (if (most) MostIsValue else 0)).toByte
    }

  private def upper(bound: ZoneFacts.UpperBound): Array[Byte] = bound match {
    case ZoneFacts.Unbounded => Array.emptyByteArray
    case ZoneFacts.AtMost(bytes) => bytes
  }

  private def putInts(out: Array[Byte], at: Int, values: Array[Int]): Int = {
    values.indices.foreach(i => LittleEndian.putInt(out, at + 4 * i, values(i)))
    at + 4 * values.length
  }

  private def putLongs(out: Array[Byte], at: Int, values: Array[Long]): Int = {
    values.indices.foreach(i => LittleEndian.putLong(out, at + 8 * i, values(i)))
    at + 8 * values.length
  }

  private def ints(bytes: Slice, at: Int, count: Int): Array[Int] =
    Array.tabulate(count)(i => bytes.int(at + 4 * i))
  private def flags(bytes: Slice, at: Int, count: Int): Array[Byte] =
    bytes.slice(at.toLong, count.toLong, "flags of zones").toArray
  private def longs(bytes: Slice, at: Int, count: Int): Array[Long] =
    Array.tabulate(count)(i => bytes.long(at + 8 * i))

  private def checksum(bytes: Slice): Int = {
    val crc = new CRC32C
    crc.update(bytes.array, bytes.offset + 8, bytes.length - 8)
    crc.getValue.toInt
  }

  private def refuse(what: String): Nothing = throw new LanceFormatException(s"statistics $what")
}
