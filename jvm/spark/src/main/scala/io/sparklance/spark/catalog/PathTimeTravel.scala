package io.sparklance.spark.catalog

import org.apache.spark.sql.catalyst.analysis.{RelationTimeTravel, UnresolvedRelation}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

import io.sparklance.spark.session.LanceCatalogs

/** Lets ``lance.`/path` TIMESTAMP AS OF current_timestamp()`` reach the catalog. Spark asks a catalog only
  * once the expression is resolved, and meanwhile refuses names of two parts whose first one is a format.
  */
private[spark] object PathTimeTravel extends Rule[LogicalPlan] {

  /** A part of the name that makes it one of three. */
  private val Namespace = "timestampAsOf"

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case travel @ RelationTimeTravel(table: UnresolvedRelation, Some(time), None) if !time.resolved =>
      table.multipartIdentifier match {
        case Seq(catalog @ LanceCatalogs.Format, path) if path.contains('/') =>
          travel.copy(relation = table.copy(multipartIdentifier = Seq(catalog, Namespace, path)))
        case _ => travel
      }
  }

  /** Whether the namespace says nothing of the place. */
  def isNoPlace(namespace: Array[String]): Boolean = namespace match {
    case Array() | Array(Namespace) | Array(CatalogNamespaces.Root) => true
    case _ => false
  }
}
