package io.sparklance.spark.search

import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.options.{LanceOptions, SearchJson, TextJson}

/** The table function `lance_hybrid_search(table, vector => …, text => …, k => 10, …)`. It stands for a read
  * of the table by its path with option `hybridSearch`.
  */
private[spark] object HybridFunction {
  import SearchParameterKind._

  val names: Vector[String] = Vector("lance_hybrid_search", "hybrid_search")

  def info(name: String): ExpressionInfo = SearchFunction.info(
    getClass,
    name,
    "_FUNC_(table, vector => …, text => …, k => 10, …) - the best rows of a search for vectors and one for texts"
  )

  private val ofVectors =
    Vector("metric", "nprobes", "minimum_nprobes", "maximum_nprobes", "refine_factor", "use_index")
  private val ofTexts = TextJson.forms
  private val ofBoth = Vector("k", "rrf_k", "alpha", "candidates", "filter")

  private def signature(function: String) = SearchSignature(
    s"$function(table, vector => array(…), text => 'words', k => 10)",
    Vector(
      SearchParameter("table", Text),
      SearchParameter("vector", Vectors, Vector("query_vector")),
      SearchParameter("text", Text, Vector("query")),
      SearchParameter("k", Whole, Vector("num_results", "limit")),
      SearchParameter("vector_column", Text),
      SearchParameter("text_columns", Texts, Vector("text_column", "search_columns")),
      SearchParameter("filter", Text),
      SearchParameter("rrf_k", Number),
      SearchParameter("alpha", Number),
      SearchParameter("candidates", Whole),
      SearchParameter("metric", Text, Vector("distance_type")),
      SearchParameter("nprobes", Whole),
      SearchParameter("minimum_nprobes", Whole),
      SearchParameter("maximum_nprobes", Whole),
      SearchParameter("refine_factor", Whole),
      SearchParameter("use_index", Truth)
    ) ++ SearchSignature.ofTexts ++ Vector(
      SearchParameter("fast_search", Truth),
      SearchParameter("version", Whole)
    )
  )

  /** Returns the plan of a call. */
  def plan(name: String)(arguments: Seq[Expression]): LogicalPlan = translating {
    val call = SearchArguments.of(name, signature(name), arguments)
    def taken(keys: Vector[String]): Map[String, Any] =
      keys.flatMap(key => call.get(key).map(key -> _)).toMap
    val fast = taken(Vector("fast_search"))
    val nearest = Map("q" -> call.needed("vector")) ++ call.get("vector_column").map("column" -> _) ++
      taken(ofVectors) ++ fast
    val text = Map("query" -> call.needed("text")) ++ call.get("text_columns").map("columns" -> _) ++
      taken(ofTexts) ++ fast
    val search = taken(ofBoth) ++ Map("nearest" -> nearest, "fullTextQuery" -> text)
    SearchFunction.read(
      call,
      LanceOptions.HybridSearch.name,
      SearchJson.print(search)
    ).queryExecution.analyzed
  }
}
