package io.sparklance.spark.read

import org.apache.spark.sql.types.NullType

import io.sparklance.data.DataBlock

/** Columns of the null type. Spark only calls `isNullAt`. */
final private[sparklance] class NullVector extends LanceColumnVector(NullType) {
  protected def look(values: DataBlock): Unit = ()
}
