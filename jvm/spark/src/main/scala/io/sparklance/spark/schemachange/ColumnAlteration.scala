package io.sparklance.spark.schemachange

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.schemachange.{ColumnChange => Change, NullSearch, SchemaEdit}
import io.sparklance.schema.{Field, LanceSchema, LogicalType}

/** A change of a column in the form of pylance's `alter_columns`: more types than SQL, and NOT NULL.
  *
  * @param path
  *   names separated by dots
  */
final private[sparklance] case class ColumnAlteration(
    path: String,
    name: Option[String],
    nulls: Option[ColumnAlteration.Nulls],
    logicalType: Option[LogicalType]
)

private[sparklance] object ColumnAlteration {
  sealed trait Nulls
  case object AllowNulls extends Nulls
  case object ForbidNulls extends Nulls

  /** Applies the alterations. All paths are those before the statement. */
  private[spark] def applied(dataset: Dataset, alterations: Vector[ColumnAlteration]): SchemaChange = {
    val fields = alterations.map(a => ColumnPaths.ofText(dataset.schema, a.path))
    fields.groupBy(_.id).find(_._2.size > 1).foreach { case (_, same) =>
      throw new LanceUsageException(
        s"Column '${same.head.name}' is altered twice. Give all its changes in one entry."
      )
    }
    alterations.zip(fields).foldLeft(SchemaChange(dataset.schema)) { case (before, (alteration, field)) =>
      one(dataset, before, alteration, field)
    }
  }

  /** Returns the schema without some columns. */
  private[spark] def dropped(dataset: Dataset, paths: Vector[String]): SchemaChange = {
    val drops = paths.map(path => Change.Drop(ColumnPaths.ofText(dataset.schema, path).id)).distinct
    SchemaChange(SchemaEdit(dataset.schema, drops))
  }

  /** Returns the schema with new columns, all null. */
  private[spark] def added(dataset: Dataset, columns: Vector[Field]): SchemaChange = {
    val schema = columns.foldLeft(dataset.schema) { (before, column) =>
      NewColumn.checkName(Seq(column.name), before.fields)
      if (!column.nullable) throw SparkColumnChanges.noValues(Seq(column.name))
      dataset.numbered(LanceSchema(before.fields :+ column, before.metadata))
    }
    SchemaChange(schema)
  }

  private def one(
      dataset: Dataset,
      before: SchemaChange,
      alteration: ColumnAlteration,
      field: Field
  ): SchemaChange = {
    val changes =
      alteration.name.map(renamed(before.schema, field, _)).toVector ++
        alteration.nulls.flatMap(nulls(dataset, field, _)) ++
        alteration.logicalType.fold(Vector.empty[Change])(NewType.changes(field, _))
    val edited = SchemaEdit(before.schema, changes)
    val isRetyped = alteration.logicalType.exists(_ != field.logicalType)
    val schema = dataset.numbered(edited)
    val former = if (isRetyped) Map(schema.maxFieldId -> field.id) else Map.empty[Int, Int]
    before.copy(schema = schema, former = before.former ++ former)
  }

  private def renamed(schema: LanceSchema, field: Field, name: String): Change = {
    val path = SchemaEdit.path(schema, field.id)
    val siblings = path.dropRight(1).lastOption.fold(schema.fields)(_.children).filterNot(_.id == field.id)
    NewColumn.checkName(path.init.map(_.name) :+ name, siblings)
    Change.Rename(field.id, name)
  }

  private def nulls(dataset: Dataset, field: Field, nulls: Nulls): Option[Change] = nulls match {
    case AllowNulls => Option.unless(field.nullable)(Change.AllowNulls(field.id))
    case ForbidNulls =>
      if (field.nullable && NullSearch.finds(dataset, field.id))
        throw new LanceUsageException(
          s"Column '${SchemaEdit.name(dataset.schema, field.id)}' has nulls, so it cannot be NOT NULL. " +
            "Give such rows values, or delete them, first."
        )
      Option.when(field.nullable)(Change.ForbidNulls(field.id))
  }
}
