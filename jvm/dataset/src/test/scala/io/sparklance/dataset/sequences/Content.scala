package io.sparklance.dataset.sequences

/** Expected content of a version.
  *
  * @param columns
  *   the names of all but `id`
  */
final case class Content(columns: Vector[String], rows: Map[Long, ModelRow]) {

  def ids: Vector[Long] = rows.keys.toVector.sorted

  def without(gone: Set[Long]): Content = copy(rows = rows -- gone)

  def having(more: Iterable[ModelRow]): Content = copy(rows = rows ++ more.map(row => row.id -> row))
}

/** A row.
  *
  * @param values
  *   by column; null where there is none
  * @param lineage
  *   of a table with stable row ids
  */
final case class ModelRow(id: Long, values: Map[String, Long], lineage: Option[ModelLineage])

/** @param rowId
  *   what a row keeps
  * @param created
  *   the version that made it
  * @param updated
  *   the version that changed it last
  */
final case class ModelLineage(rowId: Long, created: Long, updated: Long)
