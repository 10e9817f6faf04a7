package io.sparklance.spark.schemachange

import org.apache.spark.sql.types._

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.data.FileVersion
import io.sparklance.schema.{Field, LanceSchema, LogicalType}
import io.sparklance.spark.session.Session
import io.sparklance.spark.types.{LossyValues, ShownTypes}

/** Merges the columns of a table with those of rows to append. */
private[spark] object MergedSchema {

  /** Appends new columns, also within structs; they are nullable and have no ids yet. Existing columns keep
    * their types, because another type would require rewriting all values.
    */
  def of(table: LanceSchema, rows: StructType, version: FileVersion): LanceSchema =
    table.copy(fields = new MergedSchema(version).merged(table.fields, rows.fields.toVector, around = ""))

  /** Whether numbers of the second type may not fit the first. */
  private def isNarrower(table: DataType, rows: DataType): Boolean = (table, rows) match {
    case (a: DecimalType, b: DecimalType) =>
      b.scale > a.scale || b.precision - b.scale > a.precision - a.scale
    case _ => numbers.indexOf(table) >= 0 && numbers.indexOf(table) < numbers.indexOf(rows)
  }

  private val numbers: Vector[DataType] =
    Vector(ByteType, ShortType, IntegerType, LongType, FloatType, DoubleType)
}

final private class MergedSchema(version: FileVersion) {

  /** @param around path of the enclosing fields, ending with a dot */
  def merged(fields: Vector[Field], columns: Vector[StructField], around: String): Vector[Field] = {
    val kept = fields.map { field =>
      columns.find(c => Session.alike(c.name, field.name)).fold(field)(c =>
        merged(field, c.dataType, around + field.name)
      )
    }
    val added = columns.filterNot(c => fields.exists(f => Session.alike(c.name, f.name)))
    if (around.isEmpty) added.foreach(c => NewColumn.checkName(Seq(c.name), fields))
    kept ++ added.map(c => NewColumn.field(c.copy(nullable = true), version))
  }

  private def merged(field: Field, rows: DataType, name: String): Field =
    (field.logicalType, rows, field.children) match {
      case _ if field.isBlob || field.isPacked => field
      case (LogicalType.Struct, struct: StructType, children) =>
        field.copy(children = merged(children, struct.fields.toVector, s"$name."))
      case (LogicalType.List(_, _), ArrayType(item, _), Vector(child)) =>
        field.copy(children = Vector(merged(child, item, s"$name.${child.name}")))
      case (LogicalType.Map, MapType(_, value, _), Vector(entries)) =>
        val children =
          entries.children.map(c => if (c.name == "value") merged(c, value, s"$name.value") else c)
        field.copy(children = Vector(entries.copy(children = children)))
      case _ =>
        ShownTypes.of(field, LossyValues.Fail).filter(MergedSchema.isNarrower(_, rows)).foreach { shown =>
          throw new UnsupportedLanceFeatureException(
            s"widening column '$name' from ${shown.catalogString} to ${rows.catalogString}"
          )
        }
        field
    }
}
