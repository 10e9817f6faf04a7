package io.sparklance.spark.table

import java.util.{Set => JSet}

import org.apache.spark.sql.connector.catalog.{Table, TableCapability}
import org.apache.spark.sql.types.StructType

import io.sparklance.spark.types.SchemaConverter

/** A table without a location, by which Spark's session catalog checks a schema before it chooses one. */
final private[spark] class UnplacedLanceTable(declared: StructType) extends Table {
  SchemaConverter.toLance(declared)
  override def name(): String = "a new Lance table"
  override def schema(): StructType = declared

  /** Streamable, so that `save` asks for the path instead of refusing its mode. */
  override def capabilities(): JSet[TableCapability] = LanceTable.Streamable
}
