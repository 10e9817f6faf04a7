package io.sparklance.spark.types

import java.util.{Set => JSet}

import scala.util.control.NonFatal

import org.apache.spark.sql.connector.catalog.{Column, ColumnDefaultValue, Table, TableCapability}
import org.apache.spark.sql.connector.expressions.Expressions
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, MetadataBuilder, StructField, StructType}

/** Columns of a schema as catalogs return them, without defaults. */
private[spark] object PlainColumns {
  private val told = Seq("comment", Defaults.Current, Defaults.Existing)

  def of(schema: StructType): Array[Column] = schema.fields.map(field => of(field))

  private[types] def of(c: StructField): Column =
    Column.create(c.name, c.dataType, c.nullable, c.getComment().orNull, others(c))

  private[types] def of(c: StructField, default: ColumnDefaultValue): Column =
    Column.create(c.name, c.dataType, c.nullable, c.getComment().orNull, default, others(c))

  private[types] def withoutDefault(field: StructField): StructField = {
    val metadata = new MetadataBuilder().withMetadata(field.metadata)
    field.copy(metadata = metadata.remove(Defaults.Current).remove(Defaults.Existing).build())
  }

  private def others(field: StructField): String =
    told.foldLeft(new MetadataBuilder().withMetadata(field.metadata))(_.remove(_)).build().json
}

/** Columns of a schema with their defaults, from metadata that any software may have written. A default that
  * Spark refuses, or whose evaluation could overload the driver, fails only when it is used; Spark never
  * parses the latter.
  */
private[spark] object DefaultedColumns {
  def of(schema: StructType): Array[Column] =
    if (schema.forall(f => isHarmless(f) && isHarmless(f.dataType))) try new TableOf(schema).columns()
    catch { case NonFatal(_) => schema.fields.map(column) }
    else schema.fields.map(field => column(field.copy(dataType = harmless(field.dataType))))

  private def column(field: StructField): Column =
    if (isHarmless(field)) try new TableOf(StructType(Seq(field))).columns().head
    catch { case NonFatal(_) => unread(field) }
    else unread(field)

  private def unread(field: StructField): Column = current(field).fold(PlainColumns.of(field)) { text =>
    val shown = DefaultText.guarded(field.name, text)
    PlainColumns.of(field, new ColumnDefaultValue(shown, Expressions.literal[Any](null)))
  }

  private def isHarmless(spark: DataType): Boolean = spark match {
    case struct: StructType => struct.forall(f => isHarmless(f) && isHarmless(f.dataType))
    case ArrayType(item, _) => isHarmless(item)
    case MapType(key, value, _) => isHarmless(key) && isHarmless(value)
    case _ => true
  }

  /** Removes defaults of nested fields, which Spark does not support. */
  private def harmless(spark: DataType): DataType = spark match {
    case struct: StructType =>
      StructType(struct.map(f => PlainColumns.withoutDefault(f).copy(dataType = harmless(f.dataType))))
    case ArrayType(item, nulls) => ArrayType(harmless(item), nulls)
    case MapType(key, value, nulls) => MapType(harmless(key), harmless(value), nulls)
    case other => other
  }

  private def isHarmless(field: StructField): Boolean =
    (current(field) ++ text(field, Defaults.Existing)).forall(DefaultText.problem(_).isEmpty)

  private def current(field: StructField): Option[String] = text(field, Defaults.Current)

  private def text(field: StructField, key: String): Option[String] =
    Option.when(field.metadata.contains(key))(field.metadata.getString(key))

  /** A table with this schema, from which Spark derives the columns. */
  final private class TableOf(override val schema: StructType) extends Table {
    override def name(): String = "columns"
    override def capabilities(): JSet[TableCapability] = JSet.of()
  }
}
