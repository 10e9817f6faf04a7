package io.sparklance.spark.write

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters

import io.sparklance.data.{Fixed32Block, Fixed64Block, NullMask}

/** Spark's microseconds in coarser units; what would be lost by that is refused.
  *
  * @param kind what the column holds: timestamps, or durations
  */
final private class CoarseTimeAppender(
    name: String,
    kind: String,
    microsPerUnit: Long,
    block: Fixed64Block,
    nulls: NullMask
) extends FixedAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = {
    val micros = row.getLong(ordinal)
    if (Math.floorMod(micros, microsPerUnit) != 0)
      throw Fitting.misfit(name, s"one of $micros µs", s"a $kind in units of $microsPerUnit µs")
    block.append(micros / microsPerUnit)
  }
}

/** Spark's microseconds as nanoseconds, which reach 292 years into past and future. */
final private class NanosecondAppender(name: String, kind: String, block: Fixed64Block, nulls: NullMask)
    extends FixedAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = {
    val micros = row.getLong(ordinal)
    if (micros > Long.MaxValue / 1000 || micros < Long.MinValue / 1000)
      throw Fitting.misfit(name, s"one of $micros µs", s"a $kind in nanoseconds, of 64 bits")
    block.append(micros * 1000)
  }
}

/** Days as milliseconds. */
final private class Date64Appender(block: Fixed64Block, nulls: NullMask) extends FixedAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit =
    block.append(row.getInt(ordinal) * 86400000L)
}

/** Times of day, which Spark has as BIGINT in the unit of the column. */
final private class Time32Appender(name: String, perDay: Long, block: Fixed32Block, nulls: NullMask)
    extends FixedAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit =
    block.append(Fitting.timeOfDay(name, row.getLong(ordinal), perDay).toInt)
}

final private class Time64Appender(name: String, perDay: Long, block: Fixed64Block, nulls: NullMask)
    extends FixedAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit =
    block.append(Fitting.timeOfDay(name, row.getLong(ordinal), perDay))
}
