package io.sparklance.spark.search

import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.index.vector.VectorIndexSearch
import io.sparklance.spark.options.{IndexSearchSettings, QueryValue, SearchRequest, VectorCure}
import io.sparklance.spark.session.Session
import io.sparklance.vector.{Metric, NearestSpec, Query, VectorColumn}

/** A search whose column, metric and queries fit a table.
  *
  * @param isBatch
  *   whether rows tell by their `query_index` which query they answer
  * @param index
  *   use of the column's index, if it has one of this metric
  * @param indexed
  *   description of that index
  */
final private[search] case class ResolvedSearch(
    spec: NearestSpec,
    isBatch: Boolean,
    filter: Option[SearchCondition],
    index: Option[IndexSearchSettings] = None,
    indexed: Option[String] = None
) {

  private def how: String = index.fold("exact") { use =>
    val parts = indexed.toSeq ++ Seq(use.probes.describe) ++
      use.refine.map(n => s"refined from $n times as many") ++
      Option.when(use.isFast)("only rows of the index")
    s"by ${parts.mkString(", ")}"
  }

  /** Description for EXPLAIN. */
  def describe: String = {
    val queries = if (isBatch) s" to ${spec.queries.size} queries" else ""
    val range =
      Seq(spec.range.lower.map(d => s" from distance $d"), spec.range.upper.map(d => s" below distance $d"))
    s"nearest ${spec.k}$queries by ${spec.metric.name} of ${spec.column.field.name}${range.flatten.mkString}, " +
      s"$how${filter.fold("")(condition => s", among rows with ${condition.text}")}"
  }
}

private[search] object ResolvedSearch {

  /** Fits a request to a table. Fails if it does not.
    *
    * @param options
    *   those of the read
    */
  def of(
      request: SearchRequest,
      searched: SearchTarget,
      options: CaseInsensitiveStringMap
  ): ResolvedSearch = {
    val search = withoutQueries(request, searched, options)
    val column = search.spec.column
    val (queries, isBatch) = QueryValue.queries(request.query, column.isMulti)
    search.copy(spec = search.spec.copy(queries = queries.map(Query.fitted(_, column))), isBatch = isBatch)
  }

  /** Does the same for a search whose queries are not known yet. */
  def withoutQueries(
      request: SearchRequest,
      searched: SearchTarget,
      options: CaseInsensitiveStringMap
  ): ResolvedSearch = {
    val (dataset, table, broken) = (searched.dataset, searched.location.uri, searched.broken)
    val column = vectors(request.column, dataset, table)
    val index = request.index.flatMap(_ => VectorIndexSearch.of(dataset, column, broken))
    val metric = request.metric.orElse(index.flatMap(_.metric)).getOrElse(column.item.metrics.head)
    if (!column.item.metrics.contains(metric)) throw unfit(metric, column)
    val spec = NearestSpec(column, metric, Vector.empty, request.k, request.range)
    val isIndexed = index.exists(found => found.metric.contains(metric) && found.unread.isEmpty)
    val use = request.index.filter(_.isFast || isIndexed)
    val described = index.filter(_ => isIndexed).map(_.describe)
    val filter = request.filter.map(SearchCondition.of(_, options))
    ResolvedSearch(spec, isBatch = false, filter, use, described)
  }

  private def vectors(name: String, dataset: Dataset, table: String): VectorColumn = {
    val fields = dataset.schema.fields
    val field = fields.find(_.name == name).orElse(fields.find(f => Session.alike(f.name, name)))
    field.flatMap(VectorColumn.of).getOrElse {
      val problem =
        if (field.isEmpty) s"$table has no column '$name'" else s"Column '$name' of $table has no vectors"
      val others = fields.flatMap(VectorColumn.of).map(_.field.name)
      val cure = field.fold(VectorCure.ofAny(fields))(VectorCure.of).getOrElse(
        if (others.isEmpty) "None of its columns has any: vectors are fixed-size lists of numbers."
        else s"Columns with vectors: ${others.mkString(", ")}."
      )
      throw new LanceUsageException(s"$problem, so there is nothing to search. $cure")
    }
  }

  private def unfit(metric: Metric, column: VectorColumn) = new LanceUsageException(
    s"Metric '${metric.name}' does not compare vectors of ${column.item.name}, as column '${column.field.name}' has. Use " +
      s"${column.item.metrics.map(_.name).mkString(" or ")}."
  )
}
