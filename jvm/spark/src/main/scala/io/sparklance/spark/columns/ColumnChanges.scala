package io.sparklance.spark.columns

import org.apache.spark.sql.connector.catalog.TableChange._
import org.apache.spark.sql.types.{MetadataBuilder, StructField}

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.columns.{ColumnChange => Change, Place, SchemaEdit}
import io.sparklance.schema.LanceSchema
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** What Spark's ALTER TABLE says of columns, as changes of a table's fields: one after the other, since a later one may name what an
  * earlier one has made.
  */
final private[spark] class ColumnChanges(dataset: Dataset) {

  /** The columns after all changes, new ones numbered. */
  def applied(changes: Seq[ColumnChange]): LanceSchema =
    changes.foldLeft(dataset.schema) { (schema, change) =>
      val after = this.change(schema, change).fold(schema)(c => SchemaEdit(schema, Seq(c)))
      dataset.numbered(after)
    }

  private def change(schema: LanceSchema, change: ColumnChange): Option[Change] = {
    val names = change.fieldNames.toVector
    def id: Int = ColumnPaths.field(schema, names).id
    change match {
      case add: AddColumn => Some(added(schema, add))
      case drop: DeleteColumn if drop.ifExists => ColumnPaths.find(schema, names).map(f => Change.Drop(f.id))
      case _: DeleteColumn => Some(Change.Drop(id))
      case rename: RenameColumn => Some(renamed(schema, rename))
      case nulls: UpdateColumnNullability if nulls.nullable => Some(Change.AllowNulls(id))
      case comment: UpdateColumnComment =>
        Some(Change.Describe(id, Map(ColumnChanges.Comment -> Option(comment.newComment))))
      case move: UpdateColumnPosition => Some(Change.Move(id, place(schema, names, move.position)))
      case other =>
        throw new UnsupportedLanceFeatureException(s"ALTER TABLE with ${other.getClass.getSimpleName}")
    }
  }

  private def added(schema: LanceSchema, add: AddColumn): Change = {
    val names = add.fieldNames.toVector
    NewColumn.checkName(names, ColumnPaths.siblings(schema, names))
    if (add.defaultValue != null) throw new UnsupportedLanceFeatureException("ADD COLUMN with DEFAULT")
    if (!add.isNullable) throw ColumnChanges.noValues(names)
    val metadata = new MetadataBuilder
    Option(add.comment).foreach(metadata.putString(ColumnChanges.Comment, _))
    val column = StructField(names.last, add.dataType, add.isNullable, metadata.build())
    Change.Add(
      ColumnPaths.parent(schema, names).map(_.id),
      NewColumn.field(column, dataset.fileVersion),
      Option(add.position).fold[Place](Place.Last)(place(schema, names, _))
    )
  }

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

private object ColumnChanges {

  /** In the metadata of a field, as Spark has it. */
  final val Comment = "comment"

  private def noValues(names: Seq[String]): LanceUsageException = new LanceUsageException(
    s"Column '${ColumnPaths.text(names)}' cannot be NOT NULL: the rows that are there have no value for it. Leave NOT NULL out."
  )
}
