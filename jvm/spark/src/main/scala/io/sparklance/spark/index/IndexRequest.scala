package io.sparklance.spark.index

/** A request for an index, as a statement or procedure states it.
  *
  * @param column
  *   path of the field
  * @param name
  *   name of the index; by default `<column>_idx`
  * @param trains
  *   whether existing rows are indexed; without, the index covers no fragment yet
  * @param fragments
  *   ids of the fragments to index, if not all
  */
final private[spark] case class IndexRequest(
    column: String,
    kind: RequestedKind,
    name: Option[String] = None,
    existing: ExistingIndex = ExistingIndex.Refuse,
    trains: Boolean = true,
    fragments: Option[Set[Long]] = None
)
