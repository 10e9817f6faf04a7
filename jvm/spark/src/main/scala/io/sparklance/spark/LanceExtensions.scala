package io.sparklance.spark

import java.util.{Collections, WeakHashMap}

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, ShowCreateTable}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.CatalogExtension
import org.apache.spark.sql.{SparkSession, SparkSessionExtensions, SparkSessionExtensionsProvider}
import org.slf4j.LoggerFactory

import io.sparklance.spark.aliases.AliasParser
import io.sparklance.spark.catalog.{IfNotExists, KeptFormat, PathTimeTravel, WindowsLocations}
import io.sparklance.spark.changes.ChangesFunction
import io.sparklance.spark.functions.UnqualifiedFunctions
import io.sparklance.spark.read.{ColumnarToRows, JoinFilters, LocalResults, ProvenNotNull, SharedSubqueries}
import io.sparklance.spark.search.{
  DistanceOrders,
  HybridFunction,
  JoinFunction,
  NearestByJoins,
  SearchFunction,
  TextFunction,
  VectorJoinColumns,
  VectorJoinStrategy
}
import io.sparklance.spark.table.{
  ColumnUpdates,
  DeclaredLanceTable,
  GuardedConditions,
  HiddenColumns,
  IsolationRule,
  ListConditions,
  ReplacedRows,
  WholeDeletes,
  WritableLanceTable
}

/** Installs the connector in a session. Spark finds this class by ServiceLoader, so users configure nothing.
  * It installs the catalogs unless the user has set others, adds a few non-standard statements to the parser,
  * resolves the names of our functions, registers table functions, guards conditions on which Spark fails,
  * shows conditions on lists to scans, lets changes of rows write columns in place, drops conditions that
  * scans prove, lets subqueries share scans and the driver answer small queries, turns their batches into
  * rows, completes sources of MERGE, tells writes what their statements read, checks rows that replace
  * others, and keeps tables from becoming others.
  *
  * Catalogs are installed by the builder of a resolution rule: it runs once for each session, when its
  * settings are available and before the first table is resolved. The rule itself does nothing.
  */
final class LanceExtensions extends SparkSessionExtensionsProvider {
  private val log = LoggerFactory.getLogger(getClass)

  /** Installs only the parser if it is applied again: some releases of Spark apply what ServiceLoader finds
    * again if `spark.sql.extensions` names it, and parsers have the order of its names.
    */
  override def apply(extensions: SparkSessionExtensions): Unit =
    if (!SparkRelease.isKnown) log.warn(SparkRelease.needed)
    else
      guarded {
        extensions.injectParser((session, next) => AliasParser.over(session, next))
        if (LanceExtensions.isFirst(extensions)) inject(extensions)
      }

  private def inject(extensions: SparkSessionExtensions): Unit = {
    // The hook for hint rules runs before Spark looks up functions and tables.
    extensions.injectHintResolutionRule(session => new UnqualifiedFunctions(session))
    extensions.injectHintResolutionRule(_ => PathTimeTravel)
    extensions.injectHintResolutionRule(_ => WindowsLocations)
    extensions.injectHintResolutionRule(session => new WrittenViews(session))
    extensions.injectHintResolutionRule(session => new MergedAppends(session))
    injectTableFunctions(extensions)
    if (NearestByJoins.isKnown) extensions.injectPostHocResolutionRule(_ => NearestByJoins)
    extensions.injectPostHocResolutionRule(_ => IfNotExists)
    extensions.injectPostHocResolutionRule(_ => ShownTables)
    extensions.injectPostHocResolutionRule(_ => WholeDeletes)
    extensions.injectPostHocResolutionRule(_ => ReplacedRows)
    extensions.injectPlannerStrategy(_ => JoinFilters)
    extensions.injectPlannerStrategy(_ => VectorJoinStrategy)
    extensions.injectPlannerStrategy(_ => DistanceOrders)
    extensions.injectPlannerStrategy(_ => LocalResults)
    extensions.injectOptimizerRule(_ => VectorJoinColumns)
    extensions.injectOptimizerRule(_ => GuardedConditions)
    extensions.injectOptimizerRule(_ => ListConditions)
    extensions.injectOptimizerRule(_ => ColumnUpdates)
    extensions.injectOptimizerRule(_ => ProvenNotNull)
    extensions.injectOptimizerRule(_ => SharedSubqueries)
    extensions.injectColumnar(_ => ColumnarToRows)
    extensions.injectResolutionRule(_ => HiddenColumns)
    extensions.injectCheckRule(_ => IsolationRule)
    extensions.injectCheckRule(_ => KeptFormat)
    extensions.injectResolutionRule { session =>
      guarded {
        install(session, "spark_catalog", classOf[LanceSessionCatalog])
        install(session, "lance", classOf[LanceCatalog])
      }
      NoRule
    }
  }

  private def injectTableFunctions(extensions: SparkSessionExtensions): Unit = {
    def function(name: String, info: ExpressionInfo, plan: Seq[Expression] => LogicalPlan): Unit =
      extensions.injectTableFunction((FunctionIdentifier(name), info, plan))
    SearchFunction.names.foreach(n => function(n, SearchFunction.info(n), SearchFunction.plan(n)))
    TextFunction.names.foreach(n => function(n, TextFunction.info(n), TextFunction.plan(n)))
    HybridFunction.names.foreach(n => function(n, HybridFunction.info(n), HybridFunction.plan(n)))
    ChangesFunction.names.foreach(n => function(n, ChangesFunction.info(n), ChangesFunction.plan(n)))
    function(JoinFunction.name, JoinFunction.info, JoinFunction.plan)
  }

  /** Sets the catalog's class unless the user has set one. Spark's own session catalog is named `builtin`. */
  private def install(session: SparkSession, name: String, catalog: Class[_]): Unit = {
    val key = s"spark.sql.catalog.$name"
    if (session.conf.getOption(key).forall(_ == "builtin")) session.conf.set(key, catalog.getName)
  }

  /** Logs failures instead of throwing them: this code runs in every session of every user of the jar. */
  private def guarded(body: => Unit): Unit =
    try body
    catch {
      case e @ (NonFatal(_) | _: LinkageError) => log.warn("cannot install the catalogs of sparklance", e)
    }
}

private object LanceExtensions {
  private val known = Collections.newSetFromMap(new WeakHashMap[SparkSessionExtensions, java.lang.Boolean])

  private def isFirst(extensions: SparkSessionExtensions): Boolean = known.synchronized(known.add(extensions))
}

private object NoRule extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan
}

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
