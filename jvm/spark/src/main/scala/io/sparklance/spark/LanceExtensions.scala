package io.sparklance.spark

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.{SparkSession, SparkSessionExtensions, SparkSessionExtensionsProvider}
import org.slf4j.LoggerFactory

import io.sparklance.spark.aliases.AliasParser
import io.sparklance.spark.functions.PlainNames
import io.sparklance.spark.table.GuardedConditions

/** Installs our catalogs where the user has set none, with no configuration: Spark finds this class by
  * ServiceLoader. And teaches Spark's parser the few statements that have no standard syntax, and Spark the
  * names of our functions, and keeps Spark from failing on some conditions.
  *
  * The way leads through a resolution rule, since its builder is the first thing that runs once for each
  * session, with the session's settings at hand, and before the first table is resolved. The rule itself does
  * nothing.
  */
final class LanceExtensions extends SparkSessionExtensionsProvider {
  private val log = LoggerFactory.getLogger(getClass)

  override def apply(extensions: SparkSessionExtensions): Unit = guarded {
    extensions.injectParser((session, next) => AliasParser.over(session, next))
    // Names of functions must be known before Spark looks them up, which it does behind rules for hints.
    extensions.injectHintResolutionRule(session => new PlainNames(session))
    extensions.injectOptimizerRule(_ => GuardedConditions)
    extensions.injectResolutionRule { session =>
      guarded {
        install(session, "spark_catalog", classOf[LanceSessionCatalog])
        install(session, "lance", classOf[LanceCatalog])
      }
      NoRule
    }
  }

  /** Spark's own session catalog has the name `builtin`. */
  private def install(session: SparkSession, name: String, catalog: Class[_]): Unit = {
    val key = s"spark.sql.catalog.$name"
    if (session.conf.getOption(key).forall(_ == "builtin")) session.conf.set(key, catalog.getName)
  }

  /** Every session of every user of the jar comes by here; none may fail because of it. */
  private def guarded(body: => Unit): Unit =
    try body
    catch {
      case e @ (NonFatal(_) | _: LinkageError) => log.warn("cannot install the catalogs of sparklance", e)
    }
}

private object NoRule extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan
}
