package io.sparklance.spark.catalog

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, TableSpecBase}
import org.apache.spark.sql.catalyst.rules.Rule

import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.options.StoreOptions
import io.sparklance.spark.session.LanceCatalogs

/** Refuses a path of Windows as the location of a new table. Spark's session catalog would fail on it without
  * the cure.
  */
private[spark] object WindowsLocations extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.productIterator.foreach(check)
    plan
  }

  private def check(part: Any): Unit = part match {
    case made: TableSpecBase if made.provider.exists(_.equalsIgnoreCase(LanceCatalogs.Format)) =>
      made.location.filter(StoreOptions.isPathOfWindows).foreach { path =>
        translating { val _ = StoreOptions.locate(path) }
      }
    case _ => ()
  }
}
