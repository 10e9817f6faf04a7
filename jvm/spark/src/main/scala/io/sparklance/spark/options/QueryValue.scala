package io.sparklance.spark.options

import io.sparklance.LanceUsageException
import io.sparklance.vector.Query

/** Query vectors as a user gives them: numbers, or lists of such values. */
sealed private[spark] trait QueryValue extends Product with Serializable

private[spark] object QueryValue {

  final case class Items(values: Vector[Double]) extends QueryValue
  final case class Several(parts: Vector[QueryValue]) extends QueryValue

  /** Returns the queries for a column, and whether they are a batch.
    *
    * @param isMulti
    *   whether rows, and so queries, have several vectors
    */
  def queries(value: QueryValue, isMulti: Boolean): (Vector[Query], Boolean) = value match {
    case Items(values) => (Vector(new Query(Vector(values.toArray))), false)
    case Several(parts) =>
      val vectors = parts.collect { case Items(values) => values.toArray }
      val lists = parts.collect { case Several(inner) => inner }
      if (parts.isEmpty) throw empty
      else if (vectors.size == parts.size && isMulti) (Vector(new Query(vectors)), false)
      else if (vectors.size == parts.size) (vectors.map(v => new Query(Vector(v))), true)
      else if (lists.size == parts.size && isMulti) (lists.map(multi), true)
      else throw misshapen(isMulti)
  }

  private def multi(parts: Vector[QueryValue]): Query = {
    val vectors = parts.collect { case Items(values) => values.toArray }
    if (parts.isEmpty) throw empty
    if (vectors.size != parts.size) throw misshapen(isMulti = true)
    new Query(vectors)
  }

  private def empty = new LanceUsageException(
    "The query has no vector: it is an empty list. Give one vector, or a list of some."
  )

  private def misshapen(isMulti: Boolean) = new LanceUsageException(
    if (isMulti)
      "The query is neither a vector, a list of vectors, nor a list of such lists. A column with several " +
        "vectors in a row takes one of these."
    else
      "The query is neither a vector nor a list of vectors. A column with one vector in a row takes one of " +
        "these."
  )
}
