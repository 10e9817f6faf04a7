package io.sparklance.spark

import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, ShowCreateTable}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.CatalogExtension

import io.sparklance.spark.table.{DeclaredLanceTable, WritableLanceTable}

/** Lets SHOW CREATE TABLE show a statement that creates such a table again: Spark shows the columns as
  * queries see them.
  */
private object ShownTables extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case show: ShowCreateTable => show.child match {
        case shown: ResolvedTable => shown.table match {
            case table: WritableLanceTable =>
              val declared = new DeclaredLanceTable(table, !shown.catalog.isInstanceOf[CatalogExtension])
              show.withNewChildren(Seq(ResolvedTable.create(shown.catalog, shown.identifier, declared)))
            case _ => show
          }
        case _ => show
      }
    case other => other
  }
}
