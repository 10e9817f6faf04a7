package io.sparklance.spark.isolation

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.functions.{col, hex}
import org.apache.spark.sql.types.{BinaryType, DataType, StringType}
import org.apache.spark.sql.{Column, DataFrame, Row, SparkSession}

import io.sparklance.RetryableCommitConflictException
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.scan.MatchingRows
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.spark.options.StatementContext
import io.sparklance.spark.session.{JobDescription, LanceCatalogs}
import io.sparklance.table.Manifest
import io.sparklance.table.commit.CommitGuard
import io.sparklance.table.transaction.Operation

/** Refuses the commit of a statement if others have added rows meanwhile that it would have acted on. Spark
  * reads these rows, and compares their keys with those of the statement's own files.
  *
  * @param dataset
  *   the version that the statement read
  * @param files
  *   the statement's own files
  * @param table
  *   shows rows of a dataset to Spark
  */
final private[isolation] class PhantomCheck(
    dataset: Dataset,
    reads: StatementReads,
    files: Vector[WrittenFile],
    table: Dataset => Table
) extends CommitGuard {
  import PhantomCheck._

  private lazy val added = new AddedFragments(dataset, keyFields)

  override def check(latest: Manifest, others: Vector[Operation]): Unit =
    if (others.nonEmpty) compare(latest, others)

  private def compare(latest: Manifest, others: Vector[Operation]): Unit = {
    added.note(others)
    val fragments = added.in(latest)
    lazy val rows = Option.when(fragments.nonEmpty)(
      dataset.at(latest).showing(dataset.manifest, fragments, s"rows added after version ${dataset.version}")
    )
    reads.phantoms match {
      case Phantoms.Changed =>
        if (fragments.nonEmpty || others.exists(AddedFragments.deletes))
          throw conflict(latest, "it read the table, of which others have changed rows")
      case Phantoms.Added =>
        if (fragments.nonEmpty)
          throw conflict(latest, "others have added or changed rows, and it may match them")
      case Phantoms.Matching(condition) =>
        if (rows.exists(shownOfOthers(_)(satisfies(_, condition)))) throw satisfied(latest)
      case Phantoms.Satisfying(predicate) =>
        if (rows.exists(!MatchingRows.of(_, predicate).isEmpty)) throw satisfied(latest)
      case Phantoms.SameKey(keys, andOthers) =>
        if (!added.fields.subsetOf(latest.message.fields.map(_.id).toSet))
          throw conflict(latest, "others have changed the columns that it compares")
        if (files.nonEmpty) rows.filter(own.mayBeIn(_)).foreach { rows =>
          val same = shownOfOthers(rows)(common(_, keys))
          if (same.nonEmpty)
            throw conflict(latest, s"others have added rows with keys that it inserts: ${named(keys, same)}")
        }
        if (andOthers && fragments.nonEmpty)
          throw conflict(
            latest,
            "others have added or changed rows, and it acts on all that its source lacks"
          )
    }
    added.pass(latest)
  }

  private def keyFields: Option[Set[String]] = reads.phantoms match {
    case Phantoms.SameKey(keys, false) => Some(keys.map(_.path.head).toSet)
    case Phantoms.SameKey(_, true) | Phantoms.Added | Phantoms.Changed | Phantoms.Matching(_) |
        Phantoms.Satisfying(_) =>
      None
  }

  /** Keys of the statement's own rows, read once. */
  private lazy val own: OwnKeys = reads.phantoms match {
    case Phantoms.SameKey(keys, _) if files.map(_.rows).sum <= OwnKeys.Most =>
      val session = SparkSession.active
      JobDescription.during(session.sparkContext, job("keys"))(shown(session, written)(OwnKeys.of(
        _,
        keys,
        dataset.schema
      )))
    case Phantoms.SameKey(_, _) | Phantoms.Added | Phantoms.Changed | Phantoms.Matching(_) |
        Phantoms.Satisfying(_) =>
      OwnKeys.Unknown
  }

  private def written: Dataset = dataset.ofFiles(files, s"rows of a ${reads.command}")

  private def job(what: String): String =
    s"lance ${dataset.root} version ${dataset.version}, ${reads.command}: $what"

  /** Returns what Spark finds in rows that others have added. */
  private def shownOfOthers[A](rows: Dataset)(body: DataFrame => A): A = {
    val session = SparkSession.active
    JobDescription.during(session.sparkContext, job("rows of others"))(shown(session, rows)(body))
  }

  private def shown[A](session: SparkSession, rows: Dataset)(body: DataFrame => A): A =
    StatementContext.withTable(table(rows)) { name =>
      body(session.table(s"${LanceCatalogs.ofPaths(session)}.$name"))
    }

  /** Whether a row satisfies a condition. */
  private def satisfies(rows: DataFrame, condition: Expression): Boolean = {
    val filter = Filter(condition, rows.queryExecution.analyzed)
    rows.sparkSession.sessionState.executePlan(filter).executedPlan.executeTake(1).nonEmpty
  }

  /** Returns keys, as text, that the rows of others and the statement's files have in common. */
  private def common(theirs: DataFrame, keys: Vector[ComparedColumn]): Vector[Row] = {
    val names = keys.indices.map(i => s"key$i")
    def projected(rows: DataFrame, prefix: String) =
      rows.select(keys.zip(names).map { case (key, name) => key.in(rows).as(prefix + name) }: _*)
    val (left, right) = ("theirs", "mine")
    val same = keys.zip(names).map { case (key, name) =>
      val (a, b) = (col(left + name), col(right + name))
      if (key.nullsMatch) a <=> b else a === b
    }.reduce[Column](_ && _)
    shown(theirs.sparkSession, written) { mine =>
      val found = projected(theirs, left).join(projected(mine, right), same, "left_semi").limit(MostNamed + 1)
      found.select(found.schema.map(field => text(col(field.name), field.dataType)): _*).collect().toVector
    }
  }

  private def satisfied(latest: Manifest) =
    conflict(latest, "others have added rows that satisfy its condition")

  private def conflict(latest: Manifest, why: String) = new RetryableCommitConflictException(
    s"The ${reads.command} to ${dataset.root}, begun at version ${dataset.version}, conflicts with versions up to ${latest.version}: $why. " +
      "Nothing was committed; run it again on the latest version."
  )
}

private object PhantomCheck {

  /** Most keys that an error names. */
  final private val MostNamed = 10

  private def text(column: Column, kind: DataType): Column = kind match {
    case BinaryType => hex(column)
    case _ => column.cast(StringType)
  }

  private def named(keys: Vector[ComparedColumn], rows: Vector[Row]): String = {
    val names = keys.map(_.path.mkString("."))
    val some = rows.distinct.take(MostNamed).map { row =>
      names.zip(row.toSeq).map { case (name, value) => s"$name = $value" }.mkString("(", ", ", ")")
    }
    some.mkString(", ") + (if (rows.size > MostNamed) " and others" else "")
  }
}
