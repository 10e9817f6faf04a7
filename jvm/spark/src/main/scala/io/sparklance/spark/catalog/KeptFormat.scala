package io.sparklance.spark.catalog

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.{SaveMode, SparkSession}

import io.sparklance.LanceUsageException
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.session.LanceCatalogs

/** Refuses `saveAsTable` in mode `overwrite` where it would make a Lance table of the session catalog one of
  * another format, such as Spark's default: Spark would drop all versions of the table first. Some releases
  * drop it before any plan is checked.
  */
private[spark] object KeptFormat extends (LogicalPlan => Unit) {

  /** Spark's node, which not all releases have. */
  final private val Node = "SaveAsV1TableCommand"

  override def apply(plan: LogicalPlan): Unit = if (plan.getClass.getSimpleName == Node)
    plan.productIterator.take(2).toVector match {
      case Vector(table: CatalogTable, SaveMode.Overwrite) if !isLance(table) => refuse(table)
      case _ => ()
    }

  private def refuse(table: CatalogTable): Unit = {
    val catalog = SparkSession.active.sessionState.catalog
    if (catalog.tableExists(table.identifier) && isLance(catalog.getTableMetadata(table.identifier)))
      translating {
        throw new LanceUsageException(
          s"${table.identifier.unquotedString} is a Lance table, which this saveAsTable in format " +
            s"${table.provider.getOrElse("hive")} would drop with all versions. Add .format(\"lance\"), or drop the table first."
        )
      }
  }

  private def isLance(table: CatalogTable): Boolean =
    table.provider.exists(_.equalsIgnoreCase(LanceCatalogs.Format))
}
