package io.sparklance.spark.read

import org.apache.spark.sql.catalyst.expressions.{Expression, ScalarSubquery}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.SCALAR_SUBQUERY
import org.apache.spark.sql.internal.SQLConf

import io.sparklance.schema.Field

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
      val shared = asked.flatMap(AggregatedRows.of).groupBy(_.rows).flatMap { case (rows, all) =>
        Shared.of(all).map(rows -> _)
      }
      if (shared.isEmpty) plan
      else
        plan.transformAllExpressionsWithPruning(_.containsPattern(SCALAR_SUBQUERY)) {
          case subquery: ScalarSubquery =>
            val read = for (one <- AggregatedRows.of(subquery); scan <- shared.get(one.rows))
              yield subquery.withNewPlan(one.reading(scan.columns, scan.model))
            read.getOrElse(subquery)
        }
    }

  private val subqueries: PartialFunction[Expression, ScalarSubquery] = { case subquery: ScalarSubquery =>
    subquery
  }

  /** A scan for all subqueries that aggregate the same rows.
    *
    * @param columns
    *   those of all
    * @param model
    *   one that returns rows
    */
  final private case class Shared(columns: Vector[Field], model: AggregatedRows)

  private object Shared {

    /** Returns None if the scans are equal, or none returns rows, or a column has two types, or a relation
      * lacks a column.
      */
    def of(all: Seq[AggregatedRows]): Option[Shared] = {
      val columns = all.flatMap(_.columns).distinct.toVector
      val (counts, others) = all.partition(_.isCount)
      val differ = counts.nonEmpty || others.map(_.columns).distinct.size > 1
      val fit = columns.map(_.name).distinct.size == columns.size && others.forall(_.canRead(columns))
      others.headOption.filter(_ => differ && fit).map(Shared(columns, _))
    }
  }
}
