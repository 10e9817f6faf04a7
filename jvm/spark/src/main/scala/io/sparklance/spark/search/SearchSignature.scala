package io.sparklance.spark.search

/** The parameters of a table function, in order.
  *
  * @param usage
  *   a short call, for messages
  */
final private[search] case class SearchSignature(usage: String, parameters: Vector[SearchParameter])

private[search] object SearchSignature {
  import SearchParameterKind._

  private val Table = SearchParameter("table", Text)
  private val Column = SearchParameter("column", Text, Vector("vector_column"))
  private val K = SearchParameter("k", Whole, Vector("num_results"))
  private val Filter = SearchParameter("filter", Text)
  private val MetricName = SearchParameter("metric", Text, Vector("distance_type"))
  private val range = Vector(SearchParameter("lower_bound", Number), SearchParameter("upper_bound", Number))
  private val index = Vector(
    SearchParameter("nprobes", Whole),
    SearchParameter("minimum_nprobes", Whole),
    SearchParameter("maximum_nprobes", Whole),
    SearchParameter("refine_factor", Whole),
    SearchParameter("ef", Whole),
    SearchParameter("use_index", Truth),
    SearchParameter("fast_search", Truth)
  )
  private val Version = SearchParameter("version", Whole)

  /** Arguments for the comparison of texts with words. */
  val ofTexts: Vector[SearchParameter] = Vector(
    SearchParameter("operator", Text),
    SearchParameter("fuzziness", Whole),
    SearchParameter("max_expansions", Whole),
    SearchParameter("prefix_length", Whole),
    SearchParameter("boost", Number),
    SearchParameter("slop", Whole)
  )

  def search(function: String): SearchSignature = SearchSignature(
    s"$function(table, column, query, k => 10)",
    Vector(
      Table,
      Column,
      SearchParameter("query", Vectors, Vector("query_vector")),
      K,
      Filter,
      MetricName,
      SearchParameter("prefilter", Truth)
    ) ++ range ++ index :+ Version
  )

  def join(function: String): SearchSignature = SearchSignature(
    s"$function(left, right, column, k => 10)",
    Vector(
      SearchParameter("left", Rows),
      SearchParameter("right", Text),
      Column,
      SearchParameter("query_column", Text),
      K,
      Filter,
      MetricName,
      SearchParameter("join_type", Text),
      SearchParameter("suffix", Text)
    ) ++ range ++ index :+ Version
  )
}
