package io.sparklance.spark.options

import io.sparklance.text.TextQuery

/** A search for texts, as option `fullTextQuery` or a table function describes it.
  *
  * @param columns
  *   columns to search; those with a full-text index if there are none
  * @param limit
  *   greatest number of rows for each query
  * @param filter
  *   condition in SQL: the best among the rows that pass are wanted
  * @param isBatch
  *   whether rows tell which query they answer
  * @param isFast
  *   whether to leave out rows that no index covers
  */
final private[spark] case class TextRequest(
    queries: Vector[TextRequest.Wanted],
    columns: Vector[String],
    limit: Option[Int],
    filter: Option[String],
    isBatch: Boolean,
    isFast: Boolean
)

private[spark] object TextRequest {
  sealed trait Wanted extends Product with Serializable

  /** Words to look for in each of the columns, with the settings of `form`.
    *
    * @param form
    *   a match or phrase, whose column and terms have no meaning
    */
  final case class Words(text: String, form: TextQuery.Leaf) extends Wanted

  /** A query that names its columns. */
  final case class Structured(query: TextQuery) extends Wanted
}
