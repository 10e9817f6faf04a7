package io.sparklance.dataset.schemachange

import io.sparklance.data.{Column, DataBlock}
import io.sparklance.schema.LogicalType._
import io.sparklance.schema.{LogicalType, TimeUnit}

/** Makes values of one type values of another. Only what keeps its meaning is cast: numbers that do not fit,
  * and those of which digits would be lost, are lossy.
  */
abstract private[sparklance] class ValueCast {

  /** Appends the values `[from, until)` to `target`. Null ones become anything. */
  def append(source: Column, from: Int, until: Int, target: DataBlock, lossy: LossyValueHandler): Unit
}

/** Handles values that do not fit. If it returns, the cast stores some other value instead. */
private[sparklance] trait LossyValueHandler {

  /** @param at where it stands in the source */
  def found(value: String, at: Int): Unit

  /** Handles a list whose number of items is not that of the fixed-size lists.
    *
    * @param at
    *   where it stands in the source
    */
  def foundLength(items: Int, at: Int): Unit = found(s"of $items items", at)
}

private[sparklance] object ValueCast {

  /** Returns the cast, or None if there is none: like the reference, not between kinds of values, such as
    * numbers and texts.
    */
  def of(from: LogicalType, to: LogicalType): Option[ValueCast] = (from, to) match {
    case (same, other) if same == other => Some(CopyCast)
    case (Integer(a, aSigned), Integer(b, bSigned)) =>
      Some(new WordCast(WordType(a, aSigned), WordType(b, bSigned), Scaling.None))
    case (FloatingPoint(a), FloatingPoint(b)) => Some(new FloatCast(a, b))
    case (Decimal(_, _, a), Decimal(_, precision, b)) => Some(new DecimalCast(a, b, precision))
    case (Utf8(_), Utf8(_)) | (Binary(_), Binary(_)) => Some(CopyCast)
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
