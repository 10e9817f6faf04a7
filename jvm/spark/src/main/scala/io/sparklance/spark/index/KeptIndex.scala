package io.sparklance.spark.index

import scala.util.control.NonFatal

import io.sparklance.dataset.Dataset
import io.sparklance.index.build.{IndexEntries, IndexedColumn, StoredSegment}
import io.sparklance.schema.{Field, LanceSchema, LogicalType, LogicalTypes}
import io.sparklance.spark.schemachange.ColumnPaths
import io.sparklance.spark.session.SqlNames
import io.sparklance.spark.types.{ReadTypeOptions, SchemaConverter}

/** An index to build again on other rows, as it was.
  *
  * @param old
  *   its column before
  * @param settings
  *   settings of its kind, as text
  */
final private[index] case class KeptIndex(
    name: String,
    old: IndexedColumn,
    recipe: IndexRecipe,
    settings: Map[String, String]
) {

  /** Returns its column in a schema, or the reason why the index cannot be on it. */
  def columnIn(schema: LanceSchema): Either[String, IndexedColumn] = {
    val found = ColumnPaths.find(schema, old.path.map(_.name)).flatMap(f => IndexedColumn.of(schema, f.id))
    found match {
      case None => Left(s"the column '${old.name}' is gone")
      case Some(column) if !KeptIndex.isAlike(old.field, column.field) =>
        Left(
          s"the column '${old.name}' was ${KeptIndex.shown(old.field)} and is ${KeptIndex.shown(column.field)}"
        )
      case Some(column) if !recipe.fits(column) =>
        val stored = LogicalTypes.print(column.field.logicalType)
        Left(
          s"the column '${old.name}' is stored as $stored, which an index of type ${recipe.name} cannot hold"
        )
      case Some(column) => Right(column)
    }
  }

  /** The statement that builds the index. */
  def statement(table: String): String = {
    val column = old.path.map(field => SqlNames.quoted(field.name)).mkString(".")
    val options = settings.toVector.sorted.map { case (key, value) =>
      s"$key = '${value.replace("'", "\\'")}'"
    }
    val clause = if (options.isEmpty) "" else options.mkString(" OPTIONS (", ", ", ")")
    s"CREATE INDEX ${SqlNames.quoted(name)} ON $table USING ${recipe.name.toLowerCase} ($column)$clause"
  }
}

private[index] object KeptIndex {

  /** Returns the indices of a version by name, in the order of the manifest: each as it can be built again on
    * columns, or the reason why it cannot. Internal indices are left out.
    */
  def all(dataset: Dataset, columns: LanceSchema): Vector[(String, Either[String, KeptIndex])] = {
    val segments = IndexEntries.of(dataset).filterNot(_.isSystem)
    segments.map(_.index).distinct.map { name =>
      val index = of(dataset, name, segments.filter(_.index == name))
      name -> index.flatMap(kept => kept.columnIn(columns).map(_ => kept))
    }
  }

  private def of(dataset: Dataset, name: String, segments: Vector[StoredSegment]): Either[String, KeptIndex] =
    try {
      val found = for {
        fieldId <- Option.when(segments.head.fieldIds.size == 1)(segments.head.fieldIds.head)
        column <- IndexedColumn.of(dataset.schema, fieldId)
        recipe <- IndexRecipe.stored(dataset, column, segments, retrains = true) if recipe.fits(column)
      } yield KeptIndex(name, column, recipe, recipe.shown(IndexSummaries.settings(dataset, name)))
      found.toRight(s"its type ${segments.head.kind} cannot be built here")
    } catch { case NonFatal(e) => Left(s"its settings cannot be read: ${e.getMessage}") }

  /** Whether values of two fields are alike to Spark, and vectors equally long. */
  private def isAlike(old: Field, now: Field): Boolean =
    old.logicalType ==
      now.logicalType && old.children.map(_.logicalType) == now.children.map(_.logicalType) ||
      shown(old) == shown(now)

  /** The type in Spark's terms, with the length of vectors. */
  private def shown(field: Field): String = {
    val spark = SchemaConverter.toSpark(LanceSchema(Vector(field)), ReadTypeOptions.written).head.dataType
    val lengths = field.preOrder.map(_.logicalType).collect { case LogicalType.FixedSizeList(_, size) =>
      size
    }
    spark.sql + lengths.map(size => s" of $size items").mkString
  }
}
