package io.sparklance.dataset.schemachange

import java.math.{BigDecimal, BigInteger}
import java.util.Arrays

import io.sparklance.data.{
  Column,
  ColumnCopy,
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  FixedBytesBlock,
  Halves
}
import io.sparklance.schema.LogicalType._
import io.sparklance.schema.{LogicalType, TimeUnit}

/** Makes values of one type values of another. Only what keeps its meaning is cast: numbers that do not fit,
  * and those of which digits would be lost, are lossy.
  */
abstract private[sparklance] class ValueCast {

  /** Appends the values `[from, until)` to `target`. Null ones become anything. */
  def append(source: Column, from: Int, until: Int, target: DataBlock, lossy: LossyValueHandler): Unit
}

private[sparklance] object ValueCast {

  /** Returns the cast, or None if there is none: like the reference, not between kinds of values, such as
    * numbers and texts.
    */
  def of(from: LogicalType, to: LogicalType): Option[ValueCast] = (from, to) match {
    case (same, other) if same == other => Some(IdentityCast)
    case (Integer(a, aSigned), Integer(b, bSigned)) =>
      Some(new WordCast(WordType(a, aSigned), WordType(b, bSigned), Scaling.None))
    case (FloatingPoint(a), FloatingPoint(b)) => Some(new FloatCast(a, b))
    case (Decimal(_, _, a), Decimal(_, precision, b)) => Some(new DecimalCast(a, b, precision))
    case (Utf8(_), Utf8(_)) | (Binary(_), Binary(_)) => Some(IdentityCast)
    case (Dictionary(value, _), other) if !isDictionary(other) => of(value, other)
    case (FixedSizeList(a, n), FixedSizeList(b, m)) if n == m && a != Struct && b != Struct =>
      of(a, b).map(new FixedSizeListCast(_))
    case (Timestamp(a, aZone), Timestamp(b, bZone)) if aZone.isDefined == bZone.isDefined =>
      Some(times(64, nanos(a), 64, nanos(b)))
    case (Duration(a), Duration(b)) => Some(times(64, nanos(a), 64, nanos(b)))
    case (Time(a), Time(b)) => Some(times(timeBits(a), nanos(a), timeBits(b), nanos(b)))
    case (Date32, Date64) => Some(times(32, nanosPerDay, 64, nanos(TimeUnit.Millisecond)))
    case (Date64, Date32) => Some(times(64, nanos(TimeUnit.Millisecond), 32, nanosPerDay))
    // At midnight, of no zone.
    case (Date32, Timestamp(unit, None)) => Some(times(32, nanosPerDay, 64, nanos(unit)))
    case _ => None
  }

  private def isDictionary(logicalType: LogicalType): Boolean = logicalType match {
    case Dictionary(_, _) => true
    case _ => false
  }

  private def times(fromBits: Int, from: Long, toBits: Int, to: Long): ValueCast =
    new WordCast(
      WordType(fromBits, signed = true),
      WordType(toBits, signed = true),
      Scaling.between(from, to)
    )

  private def timeBits(unit: TimeUnit): Int = unit match {
    case TimeUnit.Second | TimeUnit.Millisecond => 32
    case TimeUnit.Microsecond | TimeUnit.Nanosecond => 64
  }

  private val nanosPerDay = 86400000000000L

  private def nanos(unit: TimeUnit): Long = unit match {
    case TimeUnit.Second => 1000000000L
    case TimeUnit.Millisecond => 1000000L
    case TimeUnit.Microsecond => 1000L
    case TimeUnit.Nanosecond => 1L
  }
}

/** Casts between types that are stored alike. */
private[schemachange] object IdentityCast extends ValueCast {
  override def append(
      source: Column,
      from: Int,
      until: Int,
      target: DataBlock,
      lossy: LossyValueHandler
  ): Unit = ColumnCopy.append(source, from, until, new Column(target))
}

/** Casts decimals, which are little-endian integers of 16 or 32 bytes. */
final private[schemachange] class DecimalCast(fromScale: Int, toScale: Int, toPrecision: Int)
    extends ValueCast {
  private val bound = BigInteger.TEN.pow(toPrecision)

  override def append(
      source: Column,
      from: Int,
      until: Int,
      target: DataBlock,
      lossy: LossyValueHandler
  ): Unit = (source.values, target) match {
    case (s: FixedBytesBlock, t: FixedBytesBlock) =>
      val at = t.extend(until - from)
      var i = from
      while (i < until) {
        val number = if (source.nulls.isNull(i)) BigInteger.ZERO else scaled(unscaled(s, i), i, lossy)
        put(number, t.bytes, (at + i - from) * t.width, t.width)
        i += 1
      }
    case _ =>
      throw new IllegalArgumentException(s"decimals in a ${source.values.getClass} for a ${target.getClass}")
  }

  private def scaled(number: BigInteger, at: Int, lossy: LossyValueHandler): BigInteger = {
    val power = BigInteger.TEN.pow(math.abs(toScale - fromScale))
    val (now, rest) =
      if (toScale >= fromScale) (number.multiply(power), BigInteger.ZERO)
      else { val parts = number.divideAndRemainder(power); (parts(0), parts(1)) }
    if (rest.signum != 0 || now.abs.compareTo(bound) >= 0) {
      lossy.found(new BigDecimal(number, fromScale).toPlainString, at)
      BigInteger.ZERO
    } else now
  }

  private def unscaled(block: FixedBytesBlock, i: Int): BigInteger = {
    val bytes = new Array[Byte](block.width)
    var b = 0
    while (b < block.width) { bytes(block.width - 1 - b) = block.bytes(i * block.width + b); b += 1 }
    new BigInteger(bytes)
  }

  private def put(number: BigInteger, into: Array[Byte], at: Int, width: Int): Unit = {
    val bytes = number.toByteArray
    Arrays.fill(into, at, at + width, if (number.signum < 0) -1.toByte else 0.toByte)
    var b = 0
    while (b < bytes.length) { into(at + b) = bytes(bytes.length - 1 - b); b += 1 }
  }
}

/** Casts floats. Values that the narrower type lacks are lossy, and become the nearest ones.
  *
  * @param from
  *   width of the source in bits
  */
final private[schemachange] class FloatCast(from: Int, to: Int) extends ValueCast {
  private var numbers = Array.emptyDoubleArray

  override def append(
      source: Column,
      from: Int,
      until: Int,
      target: DataBlock,
      lossy: LossyValueHandler
  ): Unit = {
    val n = until - from
    if (numbers.length < n) numbers = new Array[Double](n)
    load(source.values, from, n)
    if (to < this.from)
      check(n, i => if (!source.nulls.isNull(from + i)) lossy.found(numbers(i).toString, from + i))
    store(n, target)
  }

  private def load(source: DataBlock, from: Int, n: Int): Unit = {
    var i = 0
    source match {
      case b: Fixed16Block =>
        while (i < n) { numbers(i) = Halves.number(b.values(from + i) & 0xffff); i += 1 }
      case b: Fixed32Block =>
        while (i < n) { numbers(i) = java.lang.Float.intBitsToFloat(b.values(from + i)).toDouble; i += 1 }
      case b: Fixed64Block =>
        while (i < n) { numbers(i) = java.lang.Double.longBitsToDouble(b.values(from + i)); i += 1 }
      case other => throw new IllegalArgumentException(s"floats in a ${other.getClass}")
    }
  }

  private def check(n: Int, misfit: Int => Unit): Unit = {
    var i = 0
    while (i < n) {
      val number = numbers(i)
      val kept = to match {
        case 16 => Halves.number(Halves.bits(number))
        case _ => number.toFloat.toDouble
      }
      if (kept != number && !number.isNaN) misfit(i)
      i += 1
    }
  }

  private def store(n: Int, target: DataBlock): Unit = {
    var i = 0
    target match {
      case b: Fixed16Block =>
        val at = b.extend(n)
        while (i < n) { b.values(at + i) = Halves.bits(numbers(i)).toShort; i += 1 }
      case b: Fixed32Block =>
        val at = b.extend(n)
        while (i < n) { b.values(at + i) = java.lang.Float.floatToRawIntBits(numbers(i).toFloat); i += 1 }
      case b: Fixed64Block =>
        val at = b.extend(n)
        while (i < n) { b.values(at + i) = java.lang.Double.doubleToRawLongBits(numbers(i)); i += 1 }
      case other => throw new IllegalArgumentException(s"floats for a ${other.getClass}")
    }
  }
}
