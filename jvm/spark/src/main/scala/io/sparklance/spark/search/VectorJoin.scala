package io.sparklance.spark.search

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeReference,
  AttributeSet,
  Expression,
  NamedExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project, UnaryNode}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.{ArrayType, NumericType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.spark.options.{LanceOptions, OwnReads, SearchRequest}
import io.sparklance.spark.session.TableLocation

/** Each row of a plan with the rows of a Lance table whose vectors are nearest to the row's own.
  *
  * @param query
  *   column of the plan with the vectors to search for
  * @param source
  *   the table and the search, whose queries are missing
  * @param found
  *   columns of the table, by their names
  * @param isOuter
  *   whether rows remain for which nothing is found
  */
final private[search] case class VectorJoin(
    child: LogicalPlan,
    query: Attribute,
    source: JoinSource,
    found: Seq[AttributeReference],
    distance: AttributeReference,
    isOuter: Boolean
) extends UnaryNode {
  override def output: Seq[Attribute] = child.output ++ found :+ distance
  override def producedAttributes: AttributeSet = AttributeSet(found :+ distance)
  override def simpleString(maxFields: Int): String =
    s"VectorJoin ${VectorJoin.describe(source, query, isOuter)}"
  override protected def withNewChildInternal(newChild: LogicalPlan): VectorJoin = copy(child = newChild)
}

/** The table in which a join searches.
  *
  * @param options
  *   those with which it is read
  * @param columns
  *   its columns, if the query has attributes for them
  */
final private[search] case class RightSide(
    dataset: Dataset,
    location: TableLocation,
    options: CaseInsensitiveStringMap,
    columns: Option[Seq[AttributeReference]] = None
)

private[search] object VectorJoin {

  /** Plans a join.
    *
    * @param left
    *   the rows with the queries
    */
  def of(
      left: LogicalPlan,
      query: Expression,
      right: RightSide,
      request: SearchRequest,
      isOuter: Boolean
  ): VectorJoin = {
    import right.{dataset, location, options}
    val table = SearchTarget(dataset, location, LanceOptions.forRead(options))
    val search = ResolvedSearch.withoutQueries(request, table, options)
    if (search.spec.column.isMulti)
      throw new LanceUsageException(
        s"Column '${search.spec.column.field.name}' has several vectors in a row, which no join searches. Search for " +
          "each query by lance_vector_search."
      )
    search.filter.foreach(new SearchFilter(dataset, location, _))
    val (child, attribute) = queried(left, query)
    def fresh = OwnReads.of(location, dataset).queryExecution.analyzed.output.map { column =>
      AttributeReference(column.name, column.dataType, column.nullable || isOuter, column.metadata)()
    }
    val found = right.columns.getOrElse(fresh)
    val distance = AttributeReference(ResultColumns.distance.name, ResultColumns.distance.dataType, isOuter)()
    VectorJoin(
      child,
      attribute,
      JoinSource(table, search),
      found,
      distance,
      isOuter
    )
  }

  /** Returns a plan with the query as a column. */
  private def queried(left: LogicalPlan, query: Expression): (LogicalPlan, Attribute) = {
    query.dataType match {
      case ArrayType(_: NumericType, _) => ()
      case other =>
        throw new LanceUsageException(
          s"The vectors to search for are of type ${other.catalogString}, not arrays of numbers. Give a column of " +
            "ARRAY<FLOAT> or ARRAY<DOUBLE>."
        )
    }
    query match {
      case attribute: Attribute => (left, attribute)
      case other =>
        val alias: NamedExpression = Alias(other, "_query")()
        (Project(left.output :+ alias, left), alias.toAttribute)
    }
  }

  def describe(source: JoinSource, query: Attribute, isOuter: Boolean): String =
    s"${if (isOuter) "left outer" else "inner"}, for each ${query.name} the ${source.search.describe} in lance " +
      s"${source.table.location} version ${source.table.dataset.version}"
}

/** Leaves out columns of joins that a query does not need. */
private[spark] object VectorJoinColumns extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
    case project @ Project(_, join: VectorJoin) => project.copy(child = pruned(join, project.references))
    case project @ Project(_, filter @ Filter(_, join: VectorJoin)) =>
      project.copy(child = filter.copy(child = pruned(join, project.references ++ filter.references)))
  }

  private def pruned(join: VectorJoin, needed: AttributeSet): VectorJoin =
    if (join.found.forall(needed.contains)) join else join.copy(found = join.found.filter(needed.contains))
}
