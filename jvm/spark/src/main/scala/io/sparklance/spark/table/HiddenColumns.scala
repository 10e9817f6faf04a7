package io.sparklance.spark.table

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, WriteDelta}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Adds metadata columns to the scans of our tables in the source of a MERGE that names them. Spark does so
  * too, but not in its copy of the source, with which it finds out what to scan of the target: there, the
  * columns would be missing.
  */
private[sparklance] object HiddenColumns extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators { case write: WriteDelta =>
    write.transformExpressions { case subquery: SubqueryExpression =>
      val source = completed(subquery.plan)
      if (source eq subquery.plan) subquery else subquery.withNewPlan(source)
    }
  }

  private def completed(source: LogicalPlan): LogicalPlan = {
    val named = AttributeSet.fromAttributeSets(source.collect { case node => node.references })
    source.resolveOperatorsUp {
      case relation: DataSourceV2Relation
          if relation.table.isInstanceOf[LanceTable] && relation.metadataOutput.exists(named.contains) =>
        relation.withMetadataColumns()
    }
  }
}
