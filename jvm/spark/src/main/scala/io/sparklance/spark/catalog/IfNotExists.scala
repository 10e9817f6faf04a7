package io.sparklance.spark.catalog

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier
import org.apache.spark.sql.catalyst.plans.logical.{CreateTableAsSelect, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.{CatalogPlugin, DelegatingCatalogExtension}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.spark.session.LanceCatalogs

/** Tells a staged table that its statement is CREATE TABLE IF NOT EXISTS … AS SELECT, or mode `ignore`. Spark
  * looks for the table when the statement begins and keeps the clause to itself, so the statement would fail
  * if another writer creates the table before it ends.
  */
private[spark] object IfNotExists extends Rule[LogicalPlan] {

  /** A key in Spark's own form, which the check of options lets pass. */
  private val Key = "__if_not_exists"

  def isIn(options: CaseInsensitiveStringMap): Boolean = options.containsKey(Key)

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case create: CreateTableAsSelect if create.ignoreIfExists && isOurs(create) =>
      create.copy(writeOptions = create.writeOptions + (Key -> "true"))
    case other => other
  }

  private def isOurs(create: CreateTableAsSelect): Boolean = create.name match {
    case resolved: ResolvedIdentifier => stages(resolved.catalog, create.tableSpec.provider)
    case _ => false
  }

  private def stages(catalog: CatalogPlugin, provider: Option[String]): Boolean = catalog match {
    case ofSession: DelegatingCatalogExtension =>
      ofSession.isInstanceOf[StagedCreation] &&
      provider.getOrElse(SparkSession.active.conf.get("spark.sql.sources.default"))
        .equalsIgnoreCase(LanceCatalogs.Format)
    case other => other.isInstanceOf[StagedCreation]
  }
}
