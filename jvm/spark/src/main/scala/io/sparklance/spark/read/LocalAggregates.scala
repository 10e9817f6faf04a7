package io.sparklance.spark.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, DeclarativeAggregate}
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  Expression,
  InterpretedMutableProjection,
  JoinedRow,
  NamedExpression,
  UnsafeProjection
}
import org.apache.spark.sql.catalyst.plans.logical.Aggregate

/** Aggregates of all rows, without groups, which the driver computes. */
final private[read] class LocalAggregates(list: Seq[NamedExpression], input: Seq[Attribute]) {
  private val functions = list.flatMap(LocalAggregates.calls).map(_.aggregateFunction).collect {
    case function: DeclarativeAggregate => function
  }
  private val buffer = functions.flatMap(_.aggBufferAttributes)

  /** Returns the one row of the result. */
  def of(rows: Array[InternalRow]): InternalRow = {
    val update = new InterpretedMutableProjection(functions.flatMap(_.updateExpressions), buffer ++ input)
    val start = new InterpretedMutableProjection(functions.flatMap(_.initialValues), Nil)
    val joined = new JoinedRow
    val last = rows.foldLeft(start(InternalRow.empty).copy()) { (state, row) =>
      update(joined(state, row)).copy()
    }
    UnsafeProjection.create(list.map(LocalAggregates.evaluated), buffer)(last).copy()
  }
}

private[read] object LocalAggregates {

  /** Returns the aggregates of a node if the driver can compute them.
    *
    * @param isLocal
    *   whether the driver may evaluate an expression
    */
  def of(node: Aggregate, isLocal: Expression => Boolean): Option[LocalAggregates] = {
    val list = node.aggregateExpressions
    val fit = node.groupingExpressions.isEmpty && list.flatMap(calls).forall { call =>
      call.aggregateFunction.isInstanceOf[DeclarativeAggregate] && !call.isDistinct && call.filter.isEmpty &&
      call.aggregateFunction.children.forall(isLocal)
    }
    Option.when(fit && list.map(evaluated).forall(isLocal))(new LocalAggregates(list, node.child.output))
  }

  private def calls(expression: Expression): Seq[AggregateExpression] =
    expression.collect { case call: AggregateExpression => call }

  /** Replaces aggregates by their results. */
  private def evaluated(expression: Expression): Expression =
    expression.transform { case call: AggregateExpression =>
      call.aggregateFunction match {
        case function: DeclarativeAggregate => function.evaluateExpression
        case _ => call
      }
    }
}
