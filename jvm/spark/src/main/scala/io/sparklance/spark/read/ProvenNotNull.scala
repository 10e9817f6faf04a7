package io.sparklance.spark.read

import org.apache.spark.sql.catalyst.expressions.{And, Attribute, Expression, IsNotNull}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.FILTER
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation

/** Drops IS NOT NULL above scans that evaluate it. Spark optimizes a subquery by itself, and later infers the
  * condition again above its scans. Equal parts of a query would then differ by a filter, and each would run.
  */
private[sparklance] object ProvenNotNull extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.transformWithPruning(_.containsPattern(FILTER)) {
      case filter @ Filter(condition, scan: DataSourceV2ScanRelation) =>
        val parts = JoinFilters.operands(condition)
        val left = parts.filterNot(isProven(_, scan))
        if (left.size == parts.size) filter
        else left.reduceOption[Expression](And(_, _)).fold[LogicalPlan](scan)(Filter(_, scan))
    }

  private def isProven(condition: Expression, relation: DataSourceV2ScanRelation): Boolean =
    (condition, relation.scan) match {
      case (IsNotNull(column: Attribute), scan: LanceScan) =>
        relation.output.exists(known => known.exprId == column.exprId && scan.provesNotNull(known.name))
      case _ => false
    }
}
