package io.sparklance.spark.read

import java.util.IdentityHashMap

import org.apache.spark.sql.catalyst.expressions.{And, DynamicPruningSubquery, Expression, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.TreePattern.DYNAMIC_PRUNING_SUBQUERY
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

/** Drops runtime filters of joins that cannot pay before Spark plans them.
  *
  * Our scans take a filter on each column that can be compared, so Spark gives each side of a join the other
  * one as a filter. That one has the filters of its own joins, and so on: the plan would double with each
  * join. A filter stays if the scan is at least as large as what the filter reads, and if the filter's plan
  * is small and aggregates nothing.
  */
private[sparklance] object JoinFilters extends SparkStrategy {

  /** Most nodes of a filter's plan, those of filters within it included. */
  final private val MaxNodes = 40

  /** Takes a scan with all that Spark plans together with it. Spark finds what it has planned by the highest
    * node of that, and puts stages that have run in its place: above a changed one, it would find none, or
    * only the scan, with the dropped filters above it.
    */
  override def apply(plan: LogicalPlan): Seq[SparkPlan] =
    if (scanned(plan).isEmpty) Nil
    else {
      val kept = new Pruned().of(plan)
      if (kept eq plan) Nil else planLater(kept) :: Nil
    }

  /** Plans without such filters. Each plan is looked at once, although many filters may share it. */
  final private class Pruned {
    private val known = new IdentityHashMap[LogicalPlan, LogicalPlan]

    def of(plan: LogicalPlan): LogicalPlan =
      if (!plan.containsPattern(DYNAMIC_PRUNING_SUBQUERY)) plan
      else
        known.computeIfAbsent(
          plan,
          _ => plan.transformWithPruning(_.containsPattern(DYNAMIC_PRUNING_SUBQUERY))(filtered)
        )

    private val filtered: PartialFunction[LogicalPlan, LogicalPlan] = {
      case filter @ Filter(condition, child) if scanned(child).isDefined =>
        val parts = operands(condition)
        val kept = parts.flatMap {
          case pruning: DynamicPruningSubquery => scanned(child).flatMap(worth(pruning, _))
          case other => Some(other)
        }
        if (kept.size == parts.size && kept.zip(parts).forall { case (a, b) => a eq b }) filter
        else kept.reduceOption[Expression](And(_, _)).fold(child)(Filter(_, child))
    }

    private def worth(pruning: DynamicPruningSubquery, scan: DataSourceV2ScanRelation): Option[Expression] = {
      val build = of(pruning.buildQuery)
      val isSmall = JoinFilters.nodes(build) <= MaxNodes && !build.exists(_.isInstanceOf[Aggregate])
      Option.when(isSmall && JoinFilters.read(build) <= scan.stats.sizeInBytes)(if (
        build eq pruning.buildQuery
      ) pruning
      else pruning.withNewPlan(build))
    }
  }

  /** Returns what AND combines. */
  private[read] def operands(condition: Expression): Seq[Expression] = condition match {
    case And(left, right) => operands(left) ++ operands(right)
    case other => Seq(other)
  }

  /** Returns the scan of ours that a plan is right above, with nothing but filters and projections between.
    */
  private def scanned(plan: LogicalPlan): Option[DataSourceV2ScanRelation] = plan match {
    case relation: DataSourceV2ScanRelation =>
      Some(relation).filter(r => r.scan.isInstanceOf[LanceScan] || r.scan.isInstanceOf[LanceGroupScan])
    case Filter(_, child) => scanned(child)
    case Project(_, child) => scanned(child)
    case _ => None
  }

  /** Returns the number of nodes of a plan, those of its filters included. */
  private def nodes(plan: LogicalPlan): Int = plan.collect { case node =>
    1 + inside(node).map(nodes).sum
  }.sum

  private def inside(node: LogicalPlan): Seq[LogicalPlan] =
    node.expressions.flatMap(_.collect { case subquery: SubqueryExpression => subquery.plan })

  /** Returns the bytes that the scans of a plan read, about. */
  private def read(plan: LogicalPlan): BigInt = plan.collectLeaves().map(_.stats.sizeInBytes).sum
}
