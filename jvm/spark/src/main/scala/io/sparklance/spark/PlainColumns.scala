package io.sparklance.spark

import org.apache.spark.sql.connector.catalog.Column
import org.apache.spark.sql.types.{MetadataBuilder, StructType}

import io.sparklance.spark.columns.Defaults

/** Columns of a schema as catalogs have them, without their defaults. */
private[spark] object PlainColumns {
  private val told = Seq("comment", Defaults.Current, Defaults.Existing)

  def of(schema: StructType): Array[Column] = schema.fields.map { c =>
    val metadata = told.foldLeft(new MetadataBuilder().withMetadata(c.metadata))(_.remove(_)).build()
    Column.create(c.name, c.dataType, c.nullable, c.getComment().orNull, metadata.json)
  }
}
