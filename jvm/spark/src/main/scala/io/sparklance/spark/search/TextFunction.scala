package io.sparklance.spark.search

import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import io.sparklance.LanceUsageException
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.options.{LanceOptions, SearchJson, SearchRequest, TextJson}

/** The table function `lance_fts(table, columns, query, k => 10, …)`. It stands for a read of the table by
  * its path with option `fullTextQuery`.
  */
private[spark] object TextFunction {
  import SearchParameterKind._

  val names: Vector[String] = Vector("lance_fts", "search")

  def info(name: String): ExpressionInfo = SearchFunction.info(
    getClass,
    name,
    "_FUNC_(table, columns, query, k => 10, …) - the rows of a Lance table whose texts match the query best"
  )

  private def signature(function: String) = SearchSignature(
    s"$function(table, columns, query, k => 10)",
    Vector(
      SearchParameter("table", Text),
      SearchParameter("columns", Texts, Vector("column", "search_columns")),
      SearchParameter("query", Texts),
      SearchParameter("k", Whole, Vector("num_results", "limit")),
      SearchParameter("filter", Text),
      SearchParameter("prefilter", Truth)
    ) ++ SearchSignature.ofTexts ++ Vector(
      SearchParameter("fast_search", Truth),
      SearchParameter("offset", Whole),
      SearchParameter("version", Whole)
    )
  )

  /** Returns the plan of a call. */
  def plan(name: String)(arguments: Seq[Expression]): LogicalPlan = translating {
    val call = SearchArguments.of(name, signature(name), arguments)
    val query = call.needed("query")
    val offset = call.number("offset").getOrElse(0L)
    val k = call.number("k").getOrElse(SearchRequest.DefaultK.toLong)
    if (k < 1) throw new LanceUsageException(s"'k' of $name must be a whole number above 0, not $k.")
    if (offset < 0 || offset > Int.MaxValue - k)
      throw new LanceUsageException(
        s"$name cannot return $k rows after $offset others: 'offset' must be 0 or more, and both together below 2^31."
      )
    if (offset > 0 && query.isInstanceOf[Vector[_]])
      throw new LanceUsageException(s"'offset' of $name does not go with several queries. Leave it out.")
    val filter = call.get("filter").filter(_ => call.laterFilter.isEmpty)
    val search = Map("query" -> query, "limit" -> (k + offset)) ++ filter.map("filter" -> _) ++
      ("columns" +: "fast_search" +: TextJson.forms).flatMap(key => call.get(key).map(key -> _))
    val found = SearchFunction.read(call, LanceOptions.FullTextQuery.name, SearchJson.print(search))
    val filtered = call.laterFilter.fold(found)(found.where)
    (if (offset == 0) filtered else filtered.offset(offset.toInt)).queryExecution.analyzed
  }
}
