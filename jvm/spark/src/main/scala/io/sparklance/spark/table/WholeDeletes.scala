package io.sparklance.spark.table

import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases
import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.plans.logical.{DeleteFromTable, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Keeps Spark from putting cached rows in the place of the table of a DELETE without a condition, which ends
  * in an internal error. Other deletions read the table, and Spark leaves it in place.
  */
private[sparklance] object WholeDeletes extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case delete @ DeleteFromTable(aliased, TrueLiteral) =>
      EliminateSubqueryAliases(aliased) match {
        case relation: DataSourceV2Relation => apart(delete, relation)
        case _ => delete
      }
    case other => other
  }

  private def apart(delete: DeleteFromTable, relation: DataSourceV2Relation): LogicalPlan =
    relation.table match {
      case _: ApartLanceTable => delete
      case table: WritableLanceTable => delete.copy(table = ListConditions.withTable(relation, table.apart))
      case _ => delete
    }
}
