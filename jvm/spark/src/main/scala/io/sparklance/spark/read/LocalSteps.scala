package io.sparklance.spark.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  BindReferences,
  Expression,
  IntegerLiteral,
  InterpretedOrdering,
  InterpretedPredicate,
  PlanExpression,
  Unevaluable,
  UnsafeProjection,
  UserDefinedExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  Filter,
  GlobalLimit,
  LocalLimit,
  LogicalPlan,
  Offset,
  Project,
  Sort
}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation

/** A scan, and what a query does with each of its rows.
  *
  * @param steps
  *   nodes above the scan, the lowest first
  */
final private[read] case class LocalSteps(
    relation: DataSourceV2ScanRelation,
    scan: DriverReadable,
    steps: Vector[LogicalPlan]
) {

  /** The steps without names and numbers of columns, which are equal in equal queries. */
  def canonical: Vector[(String, Seq[Expression])] = steps.map { step =>
    val input = step.children.flatMap(_.output)
    step.nodeName -> step.expressions.map { expression =>
      BindReferences.bindReference(
        expression.transform { case alias: Alias => alias.child },
        input
      ).canonicalized
    }
  }

  /** Returns what the query makes of all rows of the scan. */
  def run(rows: Array[InternalRow]): Array[InternalRow] = steps.foldLeft(rows)(after)

  private def after(rows: Array[InternalRow], step: LogicalPlan): Array[InternalRow] = step match {
    case Project(list, child) =>
      val projection = UnsafeProjection.create(list, child.output)
      rows.map(projection(_).copy(): InternalRow)
    case Filter(condition, child) =>
      val test = InterpretedPredicate(BindReferences.bindReference(condition, child.output))
      rows.filter(test.eval)
    case sort: Sort => rows.sorted(new InterpretedOrdering(sort.order, sort.child.output))
    case LocalLimit(IntegerLiteral(n), _) => rows.take(n)
    case GlobalLimit(IntegerLiteral(n), _) => rows.take(n)
    case Offset(IntegerLiteral(n), _) => rows.drop(n)
    case LocalSteps.OfAll(aggregates) => Array(aggregates.of(rows))
    case other => throw new IllegalStateException(s"the driver does not run ${other.nodeName}")
  }
}

private[read] object LocalSteps {

  /** Marks relations that tasks must read. */
  private val ByTasks = TreeNodeTag[Unit]("sparklance.byTasks")

  /** Returns the plan with a scan that tasks read. */
  def byTasks(plan: LogicalPlan): LogicalPlan = {
    val copy = plan.clone()
    copy.collectLeaves().foreach(_.setTagValue(ByTasks, ()))
    copy
  }

  /** Returns the steps of a plan that the driver can run. */
  def of(plan: LogicalPlan): Option[LocalSteps] = plan match {
    case relation: DataSourceV2ScanRelation if relation.getTagValue(ByTasks).isEmpty =>
      relation.scan match {
        case scan: DriverReadable => Some(LocalSteps(relation, scan, Vector.empty))
        case _ => None
      }
    case Project(list, child) if list.forall(isLocal) => above(child, plan)
    case Filter(condition, child) if isLocal(condition) => above(child, plan)
    case sort: Sort if sort.order.forall(order => isLocal(order.child)) => above(sort.child, plan)
    case LocalLimit(IntegerLiteral(_), child) => above(child, plan)
    case GlobalLimit(IntegerLiteral(_), child) => above(child, plan)
    case Offset(IntegerLiteral(_), child) => above(child, plan)
    case OfAll(_) => above(plan.children.head, plan)
    case _ => None
  }

  /** Matches aggregates that the driver can compute. */
  private object OfAll {
    def unapply(plan: LogicalPlan): Option[LocalAggregates] = plan match {
      case aggregate: Aggregate => LocalAggregates.of(aggregate, isLocal)
      case _ => None
    }
  }

  private def above(child: LogicalPlan, step: LogicalPlan): Option[LocalSteps] =
    of(child).map(lower => lower.copy(steps = lower.steps :+ step))

  /** Whether the driver may evaluate an expression. The functions of users may need an executor. */
  private def isLocal(expression: Expression): Boolean = expression.deterministic && !expression.exists {
    case _: Attribute => false
    case _: PlanExpression[_] | _: UserDefinedExpression | _: Unevaluable => true
    case _ => false
  }
}
