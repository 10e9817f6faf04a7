package io.sparklance.spark.read

import org.apache.spark.sql.catalyst.expressions.{Expression, ScalarSubquery}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.SCALAR_SUBQUERY
import org.apache.spark.sql.internal.SQLConf

/** Makes the scans of scalar subqueries equal that aggregate the same rows of a table, as in
  * `SELECT (SELECT count(*) FROM t WHERE a > 1), (SELECT avg(b) FROM t WHERE a > 1)`. Spark then merges these
  * subqueries, so that the rows are read once. It does so for its own sources, whose columns it prunes later.
  *
  * Each scan reads the columns of all, and Spark counts rows itself where a scan would have.
  */
private[sparklance] object SharedSubqueries extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.containsPattern(SCALAR_SUBQUERY) || !SQLConf.get.subqueryReuseEnabled) plan
    else {
      val asked = plan.collect { case node => node.expressions.flatMap(_.collect(subqueries)) }.flatten
      val byRows = asked.flatMap(AggregatedRows.of).groupBy(_.rows).filter(group => canShare(group._2))
      if (byRows.isEmpty) plan
      else
        plan.transformAllExpressionsWithPruning(_.containsPattern(SCALAR_SUBQUERY)) {
          case subquery: ScalarSubquery =>
            val shared = for {
              one <- AggregatedRows.of(subquery)
              all <- byRows.get(one.rows)
              model <- all.find(!_.isCount)
            } yield subquery.withNewPlan(one.reading(all.flatMap(_.columns).distinct.toVector, model))
            shared.getOrElse(subquery)
        }
    }

  private val subqueries: PartialFunction[Expression, ScalarSubquery] = { case subquery: ScalarSubquery =>
    subquery
  }

  /** Whether the scans differ, at least one returns rows, each column has one type, and each relation has all
    * columns.
    */
  private def canShare(all: Seq[AggregatedRows]): Boolean = {
    val columns = all.flatMap(_.columns).distinct.toVector
    val differ = all.exists(_.isCount) || all.map(_.columns).distinct.size > 1
    differ && !all.forall(_.isCount) && columns.map(_.name).distinct.size == columns.size &&
    all.filterNot(_.isCount).forall(_.canRead(columns))
  }
}
