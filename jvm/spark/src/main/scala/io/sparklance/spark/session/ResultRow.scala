package io.sparklance.spark.session

import java.time.Instant
import java.time.temporal.ChronoUnit

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, ArrayData}
import org.apache.spark.unsafe.types.UTF8String

/** Converts values of a result that the driver makes to Spark's internal form. */
private[spark] object ResultRow {

  def apply(values: Seq[Any]): InternalRow = InternalRow.fromSeq(values.map(value))

  private def value(any: Any): Any = any match {
    case text: String => UTF8String.fromString(text)
    case time: Instant => ChronoUnit.MICROS.between(Instant.EPOCH, time)
    case option: Option[_] => option.map(value).orNull
    case map: Map[_, _] => ArrayBasedMapData(map.asInstanceOf[Map[Any, Any]].map { case (k, v) =>
        value(k) -> value(v)
      })
    case bytes: Array[Byte] => bytes
    case items: Seq[_] => ArrayData.toArrayData(items.map(value).toArray[Any])
    case plain @ (_: Long | _: Int | _: Double | _: Boolean) => plain
    case other => throw new IllegalArgumentException(s"a ${other.getClass} in a result")
  }
}
