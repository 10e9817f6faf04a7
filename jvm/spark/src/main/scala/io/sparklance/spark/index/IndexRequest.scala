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

/** A kind of index.
  *
  * @param settings
  *   text by name
  */
final private[spark] case class RequestedKind(name: String, settings: Map[String, String] = Map.empty)

/** Treatment of an existing index of the requested name. */
sealed private[spark] trait ExistingIndex extends Product with Serializable

private[spark] object ExistingIndex {
  case object Refuse extends ExistingIndex
  case object Replace extends ExistingIndex
  case object Keep extends ExistingIndex
}
