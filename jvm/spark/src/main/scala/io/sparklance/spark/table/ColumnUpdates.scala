package io.sparklance.spark.table

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, WriteDelta}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.COMMAND
import org.apache.spark.sql.connector.write.RowLevelOperation.Command

import io.sparklance.spark.rowlevel.{ColumnsPlan, LanceRowLevelOperation}

/** Lets UPDATE and MERGE write only the columns that they assign, where that is wanted. Spark's plan has an
  * expression for each column of a changed row; those of other columns are left out, and then Spark reads
  * fewer columns. The write learns which columns are left.
  *
  * An optimizer rule is the first hook that sees the rewritten statement in all releases and may change it.
  */
private[sparklance] object ColumnUpdates extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.transformWithPruning(_.containsPattern(COMMAND)) {
      case write: WriteDelta if write.write.isEmpty && !AssignedColumns.isNarrow(write.query) =>
        IsolationRule.changeOf(write.table).filter(_.command != Command.DELETE)
          .fold[LogicalPlan](write)(planned(write, _))
    }

  private def planned(write: WriteDelta, operation: LanceRowLevelOperation): LogicalPlan = {
    val narrow = if (operation.inPlace.areWanted) narrowed(write, operation) else None
    operation.writes(narrow.map(_._2))
    narrow.fold[LogicalPlan](write) { case (query, _) =>
      write.mapChildren(child => if (child eq write.query) query else child)
    }
  }

  /** Returns the query of the assigned columns only, and which these are. */
  private def narrowed(
      write: WriteDelta,
      operation: LanceRowLevelOperation
  ): Option[(LogicalPlan, ColumnsPlan)] =
    if (write.query.maxRows.contains(0L)) None
    else
      AssignedColumns.of(write.query, write.table.output) match {
        case Some(assigned) => operation.inPlace.of(assigned.names, assigned.inserts)
            .map(plan => assigned.narrowed(plan.columns.fields.map(_.name)) -> plan)
        case None => operation.inPlace.refuse(s"Spark plans it in an unknown way (${write.query.nodeName})")
      }
}
