package io.sparklance.spark.rowlevel

import scala.util.Try

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.schema.{LanceSchema, PrimaryKey}
import io.sparklance.spark.options.{UpdateMode, WriteOptions}
import io.sparklance.spark.session.Session
import io.sparklance.spark.write.RowToBlocks

/** Decides whether a statement writes columns of changed rows in place.
  *
  * @param options
  *   of the statement
  */
final private[spark] class InPlaceColumns(dataset: Dataset, options: => WriteOptions) {

  /** Whether columns are to be written if possible. */
  def areWanted: Boolean = options.changes.updateMode != UpdateMode.Rows

  /** Returns the plan for the columns that a statement assigns, if they can be written. A statement that
    * assigns none writes rows.
    *
    * @param inserts
    *   whether the statement inserts rows, too
    */
  def of(names: Vector[String], inserts: Boolean): Option[ColumnsPlan] = {
    val columns = LanceSchema(dataset.schema.fields.filter(field => names.contains(field.name)))
    if (columns.fields.isEmpty) None
    else refusal(columns) match {
      case Some(reason) => refuse(reason)
      case None =>
        Some(ColumnsPlan(columns, inserts, options.changes.updateMode == UpdateMode.Auto && areMovable))
    }
  }

  /** Refuses a statement that must write columns but cannot; others write rows. */
  def refuse(reason: String): Option[Nothing] = options.changes.updateMode match {
    case UpdateMode.Columns => throw refused(reason)
    case UpdateMode.Auto | UpdateMode.Rows => None
  }

  /** Whether rows can be copied as they are stored. */
  private def areMovable: Boolean = !dataset.schema.preOrder.exists(_.isBlob) &&
    Try(RowToBlocks.refuseUnwritable(dataset.schema, dataset.fileVersion)).isSuccess

  private def refused(reason: String) = new LanceUsageException(
    s"The statement cannot write columns in place, as updateMode 'columns' asks for (table ${dataset.root}): $reason. " +
      "Set updateMode to 'rows' or 'auto' for it."
  )

  private def refusal(columns: LanceSchema): Option[String] = {
    val names = columns.fields.map(_.name)
    def among(some: Iterable[String]) = names.find(name => some.exists(Session.alike(_, name)))
    columns.preOrder.find(_.isBlob).map(field => s"it assigns column '${field.name}' of blobs")
      .orElse(among(PrimaryKey.of(dataset.schema)).map(name =>
        s"it assigns column '$name' of the primary key"
      ))
      .orElse(among(arranging).map(name =>
        s"it assigns column '$name', by which rows are grouped or ordered"
      ))
      .orElse(hidden.map(name => s"the table has a column named $name"))
      .orElse(
        Option.when(dataset.fragments.exists(_.hidesLineage))(
          "row ids or versions are in hidden columns"
        )
      )
  }

  /** Top-level columns by which writes group or order rows. */
  private def arranging: Vector[String] = {
    val layout = options.layout
    (layout.together ++ layout.sorted.map(_.column)).map(_.names.head)
  }

  /** A column that hides the number of the fragment, by which rows go to tasks. */
  private def hidden: Option[String] =
    dataset.schema.fields.map(_.name).find(Session.alike(_, MetadataColumn.FragId.name))
}
