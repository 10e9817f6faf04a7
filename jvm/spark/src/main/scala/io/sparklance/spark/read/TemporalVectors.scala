package io.sparklance.spark.read

import org.apache.spark.sql.types.{DataType, DateType, LongType}

import io.sparklance.data.{DataBlock, Fixed32Block, Fixed64Block}

/** 64-bit numbers in another unit than Spark's. A null's slot may hold any value, and Spark may access it. */
sealed abstract private[sparklance] class UnitVector(dataType: DataType) extends LanceColumnVector(dataType) {
  private var values: Array[Long] = _
  final protected def look(block: DataBlock): Unit = values = block.asInstanceOf[Fixed64Block].values
  final protected def stored(row: Int): Long = if (isNullAt(row)) 0L else values(row)
}

/** Seconds or milliseconds, shown in microseconds. Values beyond Spark's range are errors. */
final private[sparklance] class CoarseTimeVector(
    dataType: DataType,
    microsPerUnit: Long,
    misfit: LossyReads
) extends UnitVector(dataType) {
  private val most = Long.MaxValue / microsPerUnit

  override def getLong(row: Int): Long = {
    val value = stored(row)
    if (value > most || value < -most)
      throw misfit.tooLarge(row, s"$value units of $microsPerUnit µs", dataType.sql)
    value * microsPerUnit
  }
}

/** Nanoseconds, shown in microseconds. */
final private[sparklance] class NanosecondVector(dataType: DataType, misfit: LossyReads)
    extends UnitVector(dataType) {
  override def getLong(row: Int): Long = {
    val nanos = stored(row)
    val micros = Math.floorDiv(nanos, 1000L)
    if (micros * 1000 != nanos && !misfit.truncates) throw misfit.tooFine(row, s"$nanos ns", dataType.sql)
    micros
  }
}

/** Milliseconds since 1970, shown as days. */
final private[sparklance] class Date64Vector(misfit: LossyReads) extends UnitVector(DateType) {
  override def getInt(row: Int): Int = {
    val millis = stored(row)
    val days = Math.floorDiv(millis, Date64Vector.MillisPerDay)
    if (days * Date64Vector.MillisPerDay != millis && !misfit.truncates)
      throw misfit.tooFine(row, s"$millis ms since 1970", DateType.sql)
    if (days != days.toInt) throw misfit.tooLarge(row, s"$millis ms since 1970", DateType.sql)
    days.toInt
  }
}

private object Date64Vector {
  final val MillisPerDay = 86400000L
}

/** Times of day in 32 bits, shown in 64 bits like those of finer units. */
final private[sparklance] class Time32Vector extends LanceColumnVector(LongType) {
  private var values: Array[Int] = _
  protected def look(block: DataBlock): Unit = values = block.asInstanceOf[Fixed32Block].values
  override def getLong(row: Int): Long = values(row).toLong
}
