package io.sparklance.text

/** A full-text query. Scores of rows are those of BM25. */
sealed private[sparklance] trait TextQuery extends Product with Serializable {

  /** The parts that search a column's texts. */
  def leaves: Vector[TextQuery.Leaf]
}

private[sparklance] object TextQuery {

  /** A search of the texts of one column. */
  sealed trait Leaf extends TextQuery {
    def column: String
    def terms: String
    final def leaves: Vector[Leaf] = Vector(this)
  }

  /** Texts with words of the query.
    *
    * @param all
    *   whether a text must have all of them
    * @param fuzziness
    *   greatest number of letters that differ
    * @param expansions
    *   greatest number of words that stand for those of the query, if it is fuzzy
    * @param prefix
    *   number of letters at the beginning that do not differ
    */
  final case class Match(
      column: String,
      terms: String,
      boost: Float = 1f,
      all: Boolean = false,
      fuzziness: Int = 0,
      expansions: Int = 50,
      prefix: Int = 0
  ) extends Leaf

  /** Texts with the words of the query one after the other.
    *
    * @param slop
    *   number of other words that may be between two of them
    */
  final case class Phrase(column: String, terms: String, slop: Int = 0) extends Leaf

  /** Rows of one query, whose scores are lowered where another one matches, too. */
  final case class Boost(positive: TextQuery, negative: TextQuery, factor: Float = 0.5f) extends TextQuery {
    def leaves: Vector[Leaf] = positive.leaves ++ negative.leaves
  }

  /** Rows of any of several queries, with the best score. */
  final case class Best(queries: Vector[TextQuery]) extends TextQuery {
    def leaves: Vector[Leaf] = queries.flatMap(_.leaves)
  }

  /** Rows of all `must`, or of any `should` if there are none, without those of `mustNot`. Scores are sums.
    */
  final case class Combined(must: Vector[TextQuery], should: Vector[TextQuery], mustNot: Vector[TextQuery])
      extends TextQuery {
    def leaves: Vector[Leaf] = (must ++ should ++ mustNot).flatMap(_.leaves)
  }
}
