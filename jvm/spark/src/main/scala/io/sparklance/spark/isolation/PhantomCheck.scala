package io.sparklance.spark.isolation

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.{Column, DataFrame, Row, SparkSession}

import io.sparklance.RetryableCommitConflictException
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.scan.MatchingRows
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.spark.options.StatementContext
import io.sparklance.spark.session.{JobDescription, LanceCatalogs, SqlNames}
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
    reads.phantoms match {
      case Phantoms.Changed =>
        if (added.in(latest).nonEmpty || others.exists(AddedFragments.deletes))
          throw conflict(latest, "it read the table, of which others have changed rows")
      case Phantoms.Added =>
        if (added.in(latest).nonEmpty)
          throw conflict(latest, "others have added or changed rows, and it may match them")
      case Phantoms.Matching(condition) =>
        if (shownOfOthers(latest)(satisfies(_, condition)).contains(true)) throw satisfied(latest)
      case Phantoms.Satisfying(predicate) =>
        if (ofOthers(latest).exists(!MatchingRows.of(_, predicate).isEmpty)) throw satisfied(latest)
      case Phantoms.SameKey(keys) =>
        if (!added.fields.subsetOf(latest.message.fields.map(_.id).toSet))
          throw conflict(latest, "others have changed the columns that it compares")
        if (files.nonEmpty) shownOfOthers(latest)(common(_, keys)).filter(_.nonEmpty).foreach { rows =>
          throw conflict(latest, s"others have added rows with keys that it inserts: ${named(keys, rows)}")
        }
    }
    added.pass(latest)
  }

  private def keyFields: Option[Set[String]] = reads.phantoms match {
    case Phantoms.SameKey(keys) => Some(keys.map(_.path.head).toSet)
    case Phantoms.Added | Phantoms.Changed | Phantoms.Matching(_) | Phantoms.Satisfying(_) => None
  }

  /** Returns the rows that others have added, if there are any. */
  private def ofOthers(latest: Manifest): Option[Dataset] = {
    val fragments = added.in(latest)
    Option.when(fragments.nonEmpty)(
      dataset.at(latest).showing(dataset.manifest, fragments, s"rows added after version ${dataset.version}")
    )
  }

  /** Returns what Spark finds in the rows that others have added, if there are any. */
  private def shownOfOthers[A](latest: Manifest)(body: DataFrame => A): Option[A] =
    ofOthers(latest).map { rows =>
      val session = SparkSession.active
      val text = s"lance ${dataset.root} version ${dataset.version}, ${reads.command}: rows of others"
      JobDescription.during(session.sparkContext, text)(shown(session, rows)(body))
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

  /** Returns keys that the rows of others and the statement's files have in common. */
  private def common(theirs: DataFrame, keys: Vector[KeyColumn]): Vector[Row] = {
    val names = keys.indices.map(i => s"key$i")
    def projected(rows: DataFrame, prefix: String) =
      rows.select(keys.zip(names).map { case (key, name) =>
        col(key.path.map(SqlNames.quoted).mkString(".")).as(prefix + name)
      }: _*)
    val (left, right) = ("theirs", "mine")
    val same = keys.zip(names).map { case (key, name) =>
      val (a, b) = (col(left + name), col(right + name))
      if (key.nullsMatch) a <=> b else a === b
    }.reduce[Column](_ && _)
    shown(theirs.sparkSession, dataset.ofFiles(files, s"rows of a ${reads.command}")) { mine =>
      projected(theirs, left).join(projected(mine, right), same, "left_semi")
        .limit(MostNamed + 1).collect().toVector
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

  private def named(keys: Vector[KeyColumn], rows: Vector[Row]): String = {
    val names = keys.map(_.path.mkString("."))
    val some = rows.distinct.take(MostNamed).map { row =>
      names.zip(row.toSeq).map { case (name, value) => s"$name = $value" }.mkString("(", ", ", ")")
    }
    some.mkString(", ") + (if (rows.size > MostNamed) " and others" else "")
  }
}
