package io.sparklance.spark.types

import org.apache.spark.sql.connector.catalog.{MetadataColumn => SparkColumn}
import org.apache.spark.sql.types.{DataType, LongType}

import io.sparklance.dataset.snapshot.MetadataColumn

/** A metadata column for Spark. */
final private[spark] case class SparkMetadataColumn(column: MetadataColumn) extends SparkColumn {
  override def name(): String = column.name
  override def dataType(): DataType = LongType
  override def isNullable(): Boolean = false
  override def comment(): String = column match {
    case MetadataColumn.RowAddr => "address of the row: fragment * 2^32 + position"
    case MetadataColumn.RowId => "id of the row"
    case MetadataColumn.FragId => "fragment of the row"
    case MetadataColumn.RowCreatedAtVersion => "version of the table in which the row was added"
    case MetadataColumn.RowLastUpdatedAtVersion =>
      "version of the table in which the row was last changed"
  }
}
