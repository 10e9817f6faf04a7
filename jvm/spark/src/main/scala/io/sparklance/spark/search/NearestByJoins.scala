package io.sparklance.spark.search

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{BinaryNode, LogicalPlan, Project, SubqueryAlias, View}
import org.apache.spark.sql.catalyst.plans.{Inner, JoinType, LeftOuter}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.sparklance.LanceException
import io.sparklance.spark.options.{IndexSearchSettings, QueryValue, SearchRequest}
import io.sparklance.spark.table.LanceTable
import io.sparklance.vector.{Metric, NanRank, VectorItem}

/** Plans `JOIN … NEAREST k BY …`, which Spark has from 4.2 on, as a [[VectorJoin]] if its right side is a
  * Lance table and it compares vectors of the table: `EXACT` without an index, `APPROX` by the index of the
  * column. Other joins stay as Spark plans them, with all pairs of rows.
  *
  * Spark rewrites its node before optimizer rules run. It is known here by its names, because earlier
  * releases lack the class.
  */
private[spark] object NearestByJoins extends Rule[LogicalPlan] {
  private val Node = "org.apache.spark.sql.catalyst.plans.logical.NearestByJoin"

  /** Whether this release of Spark has such joins. */
  lazy val isKnown: Boolean = Try(Class.forName(Node, false, getClass.getClassLoader)).isSuccess

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!isKnown || !plan.exists(isNearest)) plan
    else
      plan.resolveOperatorsUp {
        case join: BinaryNode if isNearest(join) && join.resolved => planned(join).getOrElse(join)
      }

  private def isNearest(plan: LogicalPlan): Boolean = plan.getClass.getName == Node

  private def planned(join: BinaryNode): Option[LogicalPlan] = {
    val named = join.productElementNames.zip(join.productIterator).toMap
    for {
      isOuter <- named.get("joinType").collect { case kind: JoinType => kind }.collect {
        case Inner => false
        case LeftOuter => true
      }
      isApprox <- named.get("approx").collect { case approx: Boolean => approx }
      k <- named.get("numResults").collect { case k: Int => k }
      ranking <- named.get("rankingExpression").collect { case ranking: Expression => ranking }
      direction <- named.get("direction").map(_.toString)
      relation <- table(join.right)
      (metric, query, column) <- compared(ranking, direction, join.left, relation)
      planned <- vectorJoin(
        join,
        relation,
        SearchRequest(
          column.name,
          QueryValue.Items(Vector.empty),
          k,
          Some(metric),
          index = Option.when(isApprox)(IndexSearchSettings())
        ),
        query,
        isOuter
      )
    } yield planned
  }

  private def table(plan: LogicalPlan): Option[DataSourceV2Relation] = plan match {
    case SubqueryAlias(_, child) => table(child)
    case view: View => table(view.child)
    case relation: DataSourceV2Relation if relation.table.isInstanceOf[LanceTable] => Some(relation)
    case _ => None
  }

  /** Returns the metric of a ranking, the vector of the left side, and the column of the right one. */
  private def compared(
      ranking: Expression,
      direction: String,
      left: LogicalPlan,
      relation: DataSourceV2Relation
  ): Option[(Metric, Expression, AttributeReference)] = {
    val metric = (ranking.getClass.getSimpleName, direction.toUpperCase(java.util.Locale.ROOT)) match {
      case ("VectorL2Distance", "NEARESTBYDISTANCE") => Some(Metric.L2)
      case ("VectorCosineSimilarity", "NEARESTBYSIMILARITY") => Some(Metric.Cosine)
      case ("VectorInnerProduct", "NEARESTBYSIMILARITY") => Some(Metric.Dot)
      case _ => None
    }
    def sides(query: Expression, vectors: Expression) = vectors match {
      case column: AttributeReference
          if relation.outputSet.contains(column) && query.references.subsetOf(left.outputSet) &&
            query.references.nonEmpty && query.deterministic => Some((query, column))
      case _ => None
    }
    for {
      found <- metric
      Seq(a, b) <- Some(ranking.children)
      (query, column) <- sides(a, b).orElse(sides(b, a))
    } yield (found, query, column)
  }

  /** Ranks NaN as Spark does, as the greatest number: a distance is then the farthest, a similarity the
    * nearest.
    */
  private def withNans(join: VectorJoin): VectorJoin = {
    val search = join.source.search
    val nans = search.spec.metric match {
      case Metric.L2 | Metric.Hamming => NanRank.Last
      case Metric.Cosine | Metric.Dot => NanRank.First
    }
    join.copy(source = join.source.copy(search = search.copy(spec = search.spec.copy(nans = nans))))
  }

  private def vectorJoin(
      join: BinaryNode,
      relation: DataSourceV2Relation,
      request: SearchRequest,
      query: Expression,
      isOuter: Boolean
  ): Option[LogicalPlan] = relation.table match {
    case table: LanceTable =>
      val columns = relation.output.map(c => c.withNullability(c.nullable || isOuter))
      try {
        val right =
          RightSide(table.dataset, table.location.at(table.dataset), relation.options, Some(columns))
        val planned = withNans(VectorJoin.of(join.left, query, right, request, isOuter))
        // Queries are rounded to items of the column, so other items would give other distances than Spark's.
        val output = join.output.flatMap(c => planned.output.find(_.exprId == c.exprId))
        Option.when(
          planned.source.search.spec.column.item == VectorItem.Float32 && output.size == join.output.size
        )(Project(output, planned))
      } catch {
        // Spark's own plan says what is wrong with the vectors.
        case _: LanceException => None
      }
    case _ => None
  }
}
