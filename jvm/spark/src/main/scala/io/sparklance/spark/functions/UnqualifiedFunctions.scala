package io.sparklance.spark.functions

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.UNRESOLVED_FUNCTION
import org.apache.spark.sql.{AnalysisException, SparkSession}

import io.sparklance.spark.session.LanceCatalogs

/** Resolves `l2(a, b)` as `lance.l2(a, b)`, unless Spark or the user has a function of that name. Functions
  * registered with the session would hide those of its metastore.
  */
final private[spark] class UnqualifiedFunctions(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.containsPattern(UNRESOLVED_FUNCTION)) plan
    else
      plan.resolveExpressions {
        case call: UnresolvedFunction if isOurs(call) =>
          Functions.named(call.nameParts.head) match {
            case Some(name) if !isTaken(name) =>
              // A name of two parts, the first one a catalog, works in every release of Spark.
              val ours = FunctionIdentifier(name, Some(LanceCatalogs.Format))
              UnresolvedFunction(ours, call.arguments, isDistinct = false)
            case _ => call
          }
      }

  /** Whether Spark or the user has such a function. If the current catalog has no functions, Spark throws an
    * exception without a cause.
    */
  private def isTaken(name: String): Boolean =
    try session.catalog.functionExists(name)
    catch { case e: AnalysisException if e.getCause == null => false }

  /** Whether a call may be one of our functions. Calls with clauses of aggregates are not. */
  private def isOurs(call: UnresolvedFunction): Boolean =
    call.nameParts.size == 1 && !call.isDistinct && call.filter.isEmpty
}
