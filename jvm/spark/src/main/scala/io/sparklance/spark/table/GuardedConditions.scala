package io.sparklance.spark.table

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Count}
import org.apache.spark.sql.catalyst.expressions.objects.{Invoke, StaticInvoke}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Guards expressions that Spark translates wrongly for connectors, in filters, aggregates, groups and
  * orders:
  *
  *   - Spark translates the operands of AND, OR and NOT, and asserts that each becomes a predicate. A NULL, a
  *     CAST or a call of a catalog's function becomes another expression, and the query fails with an
  *     INTERNAL_ERROR.
  *   - `count(DISTINCT 1)` reaches connectors as `count(*)`.
  *
  * Spark does not translate what is inside a [[Guarded]]; it evaluates it after the scan. This rule runs in
  * one batch with those that simplify expressions, until none changes anything, so it sees their results.
  */
private[sparklance] object GuardedConditions extends Rule[LogicalPlan] {

  /** Whether the active session applies this rule. It does not if the jar was added while it was running. */
  def isInstalled: Boolean =
    SparkSession.active.sessionState.optimizer.extendedOperatorOptimizationRules.contains(GuardedConditions)

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
    case Translated(node) if node.children.forall(reads(_, _.isInstanceOf[LanceTable])) =>
      node.mapExpressions(guard)
    case write: WriteDelta if reads(write.originalTable, _.isInstanceOf[LanceTable]) =>
      // The read side is the same table, wrapped in a node of Spark's without a public name.
      write.mapExpressions(guard).mapChildren(_.transform {
        case Translated(node) if node.children.forall(reads(_, _ => true)) => node.mapExpressions(guard)
      })
  }

  /** Nodes whose expressions Spark translates. A projection's expressions may become part of other nodes'
    * conditions.
    */
  private object Translated {
    def unapply(plan: LogicalPlan): Option[UnaryNode] = plan match {
      case filter: Filter => Some(filter)
      case project: Project => Some(project)
      case aggregate: Aggregate => Some(aggregate)
      case sort: Sort => Some(sort)
      case _ => None
    }
  }

  /** Whether a plan is a node over a scan of a table that passes `test`, so that Spark may offer the node to
    * it.
    */
  private def reads(plan: LogicalPlan, test: Table => Boolean): Boolean = plan match {
    case relation: DataSourceV2Relation => test(relation.table)
    case Filter(_, child) => reads(child, test)
    case Project(_, child) => reads(child, test)
    case SubqueryAlias(_, child) => reads(child, test)
    case sample: Sample => reads(sample.child, test)
    case _ => false
  }

  private def guard(condition: Expression): Expression = condition.transform {
    case and @ And(left, right) if isUnfit(left) || isUnfit(right) =>
      and.copy(left = guarded(left), right = guarded(right))
    case or @ Or(left, right) if isUnfit(left) || isUnfit(right) =>
      or.copy(left = guarded(left), right = guarded(right))
    case not @ Not(child) if isUnfit(child) => not.copy(child = guarded(child))
    case distinct @ AggregateExpression(Count(Seq(value: Literal)), _, true, _, _) =>
      distinct.copy(aggregateFunction = Count(Guarded(value)))
  }

  private def guarded(operand: Expression): Expression = if (isUnfit(operand)) Guarded(operand) else operand

  /** Whether Spark may translate an operand to something other than a predicate. */
  private def isUnfit(operand: Expression): Boolean = operand match {
    case Literal(value, _) => value == null
    case _: Cast | _: ApplyFunctionExpression | _: Invoke | _: StaticInvoke => true
    case _ => false
  }
}

/** Evaluates to its child. Is neither folded nor translated for connectors. */
final private[sparklance] case class Guarded(child: Expression) extends UnaryExpression
    with TaggingExpression {
  override def foldable: Boolean = false

  /** Overrides a method of Spark 4.1 and later. */
  def contextIndependentFoldable: Boolean = false

  override def sql: String = child.sql
  override def toString: String = child.toString
  override protected def withNewChildInternal(newChild: Expression): Guarded = copy(child = newChild)
}
