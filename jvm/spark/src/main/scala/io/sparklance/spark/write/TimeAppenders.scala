package io.sparklance.spark.write

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters

import io.sparklance.data.{Fixed32Block, Fixed64Block, NullMask}

/** Appends Spark's microseconds in coarser units. Refuses values that would lose precision.
  *
  * @param kind
  *   kind of values, for messages: timestamps or durations
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

/** Appends Spark's microseconds as nanoseconds, which cover 292 years before and after 1970. */
final private class NanosecondAppender(name: String, kind: String, block: Fixed64Block, nulls: NullMask)
    extends FixedAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = {
    val micros = row.getLong(ordinal)
    if (micros > Long.MaxValue / 1000 || micros < Long.MinValue / 1000)
      throw Fitting.misfit(name, s"one of $micros µs", s"a $kind in nanoseconds, of 64 bits")
    block.append(micros * 1000)
  }
}

/** Appends days as milliseconds. */
final private class Date64Appender(block: Fixed64Block, nulls: NullMask) extends FixedAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit =
    block.append(row.getInt(ordinal) * 86400000L)
}

/** Appends times of day, which are BIGINT in Spark, in the column's unit. */
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
