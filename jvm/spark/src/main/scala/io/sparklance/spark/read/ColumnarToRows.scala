package io.sparklance.spark.read

import java.nio.ByteOrder

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.{
  CodegenSupport,
  ColumnarRule,
  ColumnarToRowExec,
  SortExec,
  SparkPlan,
  UnionExec,
  WholeStageCodegenExec
}
import org.slf4j.LoggerFactory

/** Lets our operator turn batches of scans into rows, where these go into a write, a shuffle, a sort or to
  * the driver. Spark's own stays where it is compiled together with the operator above: that one takes values
  * from the vectors, and makes no rows of those that it drops or aggregates.
  */
private[spark] object ColumnarToRows extends ColumnarRule {
  private val log = LoggerFactory.getLogger(getClass)

  override def postColumnarTransitions: Rule[SparkPlan] = Replaced

  private object Replaced extends Rule[SparkPlan] {

    /** Leaves the plan as it is if anything fails, because this code runs for each query of a session. */
    override def apply(plan: SparkPlan): SparkPlan =
      try replaced(plan, belowCompiled = false)
      catch {
        case e @ (NonFatal(_) | _: LinkageError) =>
          warn(e)
          plan
      }
  }

  private def warn(e: Throwable): Unit = log.warn("cannot plan how scans of Lance tables return rows", e)

  private def replaced(plan: SparkPlan, belowCompiled: Boolean): SparkPlan = plan match {
    case ColumnarToRowExec(batches) if writesRows(batches) && !(belowCompiled && isCompiled(batches)) =>
      LanceColumnarToRowExec(batches)
    case other => other.mapChildren(replaced(_, takesValues(other)))
  }

  /** Whether all batches are of scans whose vectors write rows. */
  private def writesRows(batches: SparkPlan): Boolean = batches match {
    case union: UnionExec => union.children.forall(writesRows)
    case scan: BatchScanExec => writesRows(scan.scan)
    case _ => false
  }

  private def writesRows(scan: Scan): Boolean = scan match {
    case lance: LanceScan => ByteOrder.nativeOrder == ByteOrder.LITTLE_ENDIAN && lance.writesRows
    case _ => false
  }

  /** Whether an operator may be compiled together with the one below; some are not in the end. A sort needs
    * rows in any case.
    */
  private def takesValues(plan: SparkPlan): Boolean = plan match {
    case _: SortExec => false
    case compiled: CodegenSupport => plan.conf.wholeStageEnabled && compiled.supportCodegen
    case _ => false
  }

  /** Whether Spark compiles operators that read the columns of a plan: it refuses more than 100. */
  private def isCompiled(plan: SparkPlan): Boolean =
    !WholeStageCodegenExec.isTooManyFields(plan.conf, plan.schema)
}
