package io.sparklance.spark.schemachange

import org.apache.spark.sql.connector.catalog.TableChange._
import org.apache.spark.sql.types.{MetadataBuilder, StructField}

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.schemachange.{ColumnChange => Change, Place, SchemaEdit}
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.types.{DefaultText, Defaults}
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** Translates the column changes of Spark's ALTER TABLE to changes of fields, one after the other, because a
  * later one may refer to the result of an earlier one.
  */
final private[spark] class SparkColumnChanges(dataset: Dataset) {

  /** Applies all changes, or fails. */
  def applied(changes: Seq[ColumnChange]): SchemaChange = {
    refuseReplacing(changes)
    changes.foldLeft(SchemaChange(dataset.schema)) { (before, change) =>
      this.change(before.schema, change).foldLeft(before)((now, c) => one(now, c, change))
    }
  }

  /** Refuses REPLACE COLUMNS, which drops all columns, including the values of those that it names again. */
  private def refuseReplacing(changes: Seq[ColumnChange]): Unit = {
    val dropped = changes.count { case drop: DeleteColumn => drop.fieldNames.length == 1; case _ => false }
    if (dropped == dataset.schema.fields.size && dropped < changes.size)
      throw new UnsupportedLanceFeatureException(
        "REPLACE COLUMNS, which drops all values (ADD, DROP, RENAME and ALTER COLUMN keep those of " +
          "other columns)"
      )
  }

  private def one(before: SchemaChange, change: Change, said: ColumnChange): SchemaChange = {
    val schema = dataset.numbered(SchemaEdit(before.schema, Seq(change)))
    val after = before.copy(schema = schema)
    (change, said) match {
      case (_: Change.Add, add: AddColumn) =>
        Option(add.defaultValue).map(_.getValue.value).filter(_ != null).fold(after) { value =>
          val id = ColumnPaths.field(schema, add.fieldNames.toVector).id
          after.copy(defaults = before.defaults + (id -> value))
        }
      case (Change.Retype(old, _), _) =>
        val id = ColumnPaths.field(schema, said.fieldNames.toVector).id
        after.copy(former = before.former - old + (id -> before.former.getOrElse(old, old)))
      case _ => after
    }
  }

  private def change(schema: LanceSchema, change: ColumnChange): Vector[Change] = {
    val names = change.fieldNames.toVector
    def id: Int = ColumnPaths.field(schema, names).id
    change match {
      case add: AddColumn => Vector(added(schema, add))
      case drop: DeleteColumn if drop.ifExists =>
        ColumnPaths.find(schema, names).map(f => Change.Drop(f.id)).toVector
      case _: DeleteColumn => Vector(Change.Drop(id))
      case rename: RenameColumn => Vector(renamed(schema, rename))
      case nulls: UpdateColumnNullability if nulls.nullable => Vector(Change.AllowNulls(id))
      case _: UpdateColumnNullability if !ColumnPaths.field(schema, names).nullable => Vector.empty
      case comment: UpdateColumnComment =>
        Vector(Change.Describe(id, Map(SparkColumnChanges.Comment -> Option(comment.newComment))))
      case move: UpdateColumnPosition => Vector(Change.Move(id, place(schema, names, move.position)))
      case default: UpdateColumnDefaultValue =>
        refuseNested(names)
        val sql = Option(default.newDefaultValue).filter(_.nonEmpty)
        sql.foreach(DefaultText.check(names.last, _))
        val field = ColumnPaths.field(schema, names)
        Vector(Change.Describe(field.id, Defaults.changed(field.metadata, sql)))
      case retype: UpdateColumnType =>
        NewType.refuseNarrower(schema, retype)
        NewType.changes(ColumnPaths.field(schema, names), retype.newDataType, dataset.fileVersion)
      case other =>
        throw new UnsupportedLanceFeatureException(s"ALTER TABLE with ${other.getClass.getSimpleName}")
    }
  }

  private def added(schema: LanceSchema, add: AddColumn): Change = {
    val names = add.fieldNames.toVector
    NewColumn.checkName(names, ColumnPaths.siblings(schema, names))
    val default = Option(add.defaultValue)
    if (default.isDefined) refuseNested(names)
    default.foreach(Defaults.check(names.last, _))
    if (!add.isNullable && default.forall(_.getValue.value == null)) throw SparkColumnChanges.noValues(names)
    val metadata = new MetadataBuilder
    Option(add.comment).foreach(metadata.putString(SparkColumnChanges.Comment, _))
    val column = StructField(names.last, add.dataType, add.isNullable, metadata.build())
    val field = NewColumn.field(column, dataset.fileVersion)
    Change.Add(
      ColumnPaths.parent(schema, names).map(_.id),
      field.copy(metadata = field.metadata ++ default.fold(Map.empty[String, String])(Defaults.of)),
      Option(add.position).fold[Place](Place.Last)(place(schema, names, _))
    )
  }

  private def refuseNested(names: Seq[String]): Unit = if (names.size > 1)
    throw new UnsupportedLanceFeatureException(
      s"DEFAULT of '${ColumnPaths.text(names)}', which is within a column"
    )

  private def renamed(schema: LanceSchema, rename: RenameColumn): Change = {
    val names = rename.fieldNames.toVector
    val field = ColumnPaths.field(schema, names)
    val others = ColumnPaths.siblings(schema, names).filterNot(_.id == field.id)
    NewColumn.checkName(names.init :+ rename.newName, others)
    Change.Rename(field.id, rename.newName)
  }

  private def place(schema: LanceSchema, names: Vector[String], position: ColumnPosition): Place =
    position match {
      case after: After => Place.After(ColumnPaths.field(schema, names.init :+ after.column).id)
      case _ => Place.First
    }
}

private[schemachange] object SparkColumnChanges {

  /** Key of a comment in a Spark field's metadata. */
  final val Comment = "comment"

  def noValues(names: Seq[String]): LanceUsageException = new LanceUsageException(
    s"Column '${ColumnPaths.text(names)}' cannot be NOT NULL: existing rows have no value for it. Leave " +
      "NOT NULL out, or give it a DEFAULT."
  )
}
