package io.sparklance.spark.types

import java.util.{Set => JSet}

import scala.util.control.NonFatal

import org.apache.spark.sql.connector.catalog.{Column, ColumnDefaultValue, Table, TableCapability}
import org.apache.spark.sql.connector.expressions.Expressions
import org.apache.spark.sql.types.{MetadataBuilder, StructField, StructType}

/** Columns of a schema as catalogs have them, without their defaults. */
private[spark] object PlainColumns {
  private val told = Seq("comment", Defaults.Current, Defaults.Existing)

  def of(schema: StructType): Array[Column] = schema.fields.map { c =>
    Column.create(c.name, c.dataType, c.nullable, c.getComment().orNull, others(c))
  }

  private[spark] def others(field: StructField): String =
    told.foldLeft(new MetadataBuilder().withMetadata(field.metadata))(_.remove(_)).build().json
}

/** Columns with their defaults, which stand in metadata, where anybody may have written. What Spark does not admit as one is an error
  * where somebody wants the default, and not before.
  */
private[spark] object DefaultedColumns {
  def of(schema: StructType): Array[Column] = schema.fields.map { field =>
    try new TableOf(StructType(Seq(field))).columns().head
    catch { case NonFatal(_) => unread(field) }
  }

  private def unread(field: StructField): Column =
    if (!field.metadata.contains(Defaults.Current)) PlainColumns.of(StructType(Seq(field))).head
    else {
      val default =
        new ColumnDefaultValue(field.metadata.getString(Defaults.Current), Expressions.literal[Any](null))
      Column.create(
        field.name,
        field.dataType,
        field.nullable,
        field.getComment().orNull,
        default,
        PlainColumns.others(field)
      )
    }

  /** Whose columns are what Spark makes of its schema. */
  final private class TableOf(override val schema: StructType) extends Table {
    override def name(): String = "columns"
    override def capabilities(): JSet[TableCapability] = JSet.of()
  }
}
