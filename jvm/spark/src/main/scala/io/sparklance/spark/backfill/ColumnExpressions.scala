package io.sparklance.spark.backfill

import scala.annotation.tailrec
import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreePattern.CURRENT_LIKE
import org.apache.spark.sql.functions.{col, expr}

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.backfill.JobFolder
import io.sparklance.spark.options.{BackfillKind, BackfillOptions, ConditionText, OwnReads, WriteOptions}
import io.sparklance.spark.session.{Session, TableLocation}
import io.sparklance.{Causes, LanceUsageException, RetryableCommitConflictException}

/** New values of columns as expressions of the same row's columns.
  *
  * @param columns
  *   names, each with its SQL expression
  * @param where
  *   condition on the rows that get values, if not all do
  * @param job
  *   name by which another attempt continues the job; derived from its work if absent
  */
final private[spark] case class ColumnExpressions(
    kind: BackfillKind,
    columns: Vector[(String, String)],
    where: Option[String],
    job: Option[String]
) {
  import ColumnExpressions._
  check()

  /** Computes and commits the values. If others add or move rows meanwhile, it also computes theirs. */
  def write(location: TableLocation, dataset: Dataset, options: WriteOptions): Unit = {
    def derived = meaning(rows(location, dataset), dataset).map(name(_, dataset))
    val chosen = job.orElse(derived).getOrElse(java.util.UUID.randomUUID().toString)
    write(location, dataset, options, chosen, attempt = 1)
  }

  @tailrec
  private def write(
      location: TableLocation,
      dataset: Dataset,
      options: WriteOptions,
      name: String,
      attempt: Int
  ): Unit = {
    val done = Try {
      val rows = this.rows(location, dataset)
      val asked = BackfillOptions(kind, job = Some(name), meaning = meaning(rows, dataset))
      new BackfillResolver(location, dataset, asked, options).write(rows)
    }
    done match {
      case Success(()) => ()
      case Failure(e) if attempt < MaxAttempts && isRetryable(e) =>
        val latest = dataset.refreshed("change of columns").getOrElse(throw e)
        write(location, latest, options, name, attempt + 1)
      case Failure(e) => throw e
    }
  }

  private def rows(location: TableLocation, dataset: Dataset): DataFrame = {
    val all = OwnReads.of(location, dataset)
    val values = columns.map { case (name, text) => expr(text).as(name) }
    where.map(
      ConditionText.checked("where")
    ).fold(all)(condition => all.where(expr(condition))).select(col(AddressedRows.Address) +: values: _*)
  }

  /** Identity of the values: equal for equal expressions over unchanged columns. None if they depend on
    * user-defined functions, other tables, the session or the clock.
    */
  private def meaning(rows: DataFrame, dataset: Dataset): Option[String] = {
    val plan = rows.queryExecution.analyzed
    val expressions = expressionsOf(plan)
    Option.unless(expressions.exists(e => e.containsPattern(CURRENT_LIKE) || e.exists(isOpaque))) {
      val settings = Seq("spark.sql.session.timeZone", "spark.sql.ansi.enabled").map(Session.settings.get)
      val columns = dataset.schema.preOrder.map(field => s"${field.id} ${field.name} ${field.logicalType}")
      val parts = Seq(kind.name, s"$columns", rows.schema.json, s"$settings") ++ expressions.map(_.sql)
      JobFolder.digest(parts.mkString("\n").getBytes("UTF-8"))
    }
  }

  /** Name of an unnamed job. */
  private def name(meaning: String, dataset: Dataset): String =
    s"${kind.name}-${JobFolder.digest(s"${dataset.version} $meaning".getBytes("UTF-8"))}"

  private def check(): Unit = {
    if (columns.isEmpty)
      throw new LanceUsageException("No column is named. Give names, each with an expression in SQL.")
    columns.map(_._1).find(BackfillResolver.isReserved).foreach { name =>
      throw new LanceUsageException(
        s"A table cannot have a column named '$name', which is a metadata column. Choose another name."
      )
    }
  }
}

private[spark] object ColumnExpressions {
  final private val MaxAttempts = 10

  private def isRetryable(failure: Throwable): Boolean =
    Causes.of(failure).exists(_.isInstanceOf[RetryableCommitConflictException])

  private def expressionsOf(plan: LogicalPlan): Seq[Expression] =
    plan.collect { case node => node.expressions }.flatten

  /** Whether an expression's text does not determine its value: user-defined functions and subqueries. */
  private def isOpaque(expression: Expression): Boolean = {
    val kind = expression.getClass.getSimpleName
    Seq("UDF", "UDAF", "Subquery", "Invoke", "Exists", "ApplyFunction").exists(kind.contains(_))
  }
}
