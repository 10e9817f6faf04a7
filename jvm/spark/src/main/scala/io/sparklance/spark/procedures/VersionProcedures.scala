package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.LanceUsageException
import io.sparklance.dataset.{Dataset, KnownVersion, TableRefs}
import io.sparklance.spark.history.{CommitDescription, Statement}
import io.sparklance.spark.metadata.VersionsTable
import io.sparklance.table.transaction.Operation

/** Procedures that list and show the versions of a table, and restore one. */
private[procedures] object VersionProcedures {
  private val asOf = Parameter.time("as_of").optional
  private val dryRun = Parameter.flag("dry_run")

  val all: Vector[LanceProcedure] = Vector(
    LanceProcedure.listing(
      "versions",
      "Lists the versions of a table with their sizes, newest first.",
      VersionsTable,
      Parameter.limit
    ),
    LanceProcedure(
      "history",
      "Lists the statements that made the versions of a table, newest first.",
      Vector(Parameter.limit),
      "version BIGINT NOT NULL, timestamp TIMESTAMP NOT NULL, userName STRING, operation STRING, " +
        "operationParameters MAP<STRING, STRING>, operationMetrics MAP<STRING, STRING>, engineInfo STRING, " +
        "transaction STRING, read_version BIGINT, uuid STRING, properties MAP<STRING, STRING>"
    )(history),
    LanceProcedure(
      "manifest",
      "Shows a version of a table; `manifest` is the message that describes it.",
      Vector(Parameter.version, asOf),
      "version BIGINT NOT NULL, timestamp TIMESTAMP NOT NULL, branch STRING, location STRING NOT NULL, " +
        "manifest BINARY NOT NULL"
    )(manifest),
    new LanceProcedure(
      "restore",
      "Makes an older version the latest one again, as a new version.",
      Vector(Parameter.version, asOf, dryRun),
      restored(_)
    )(restore)
  )

  private def history(arguments: Arguments): Iterator[Seq[Any]] =
    arguments.limited(KnownVersion.all(arguments.latest, withTransactions = true).iterator).map { version =>
      val made = version.transaction
      val known = made.map(new CommitDescription(_))
      Seq(
        version.version,
        version.timestamp,
        known.flatMap(_.user),
        known.map(_.operation),
        known.flatMap(_.parameters),
        known.flatMap(_.metrics),
        version.manifest.writer,
        made.map(_.operation.name),
        made.map(_.readVersion),
        made.map(_.uuid),
        made.map(_.properties)
      )
    }

  private def manifest(arguments: Arguments): Iterator[Seq[Any]] = {
    val named = arguments.dataset
    val dataset = arguments(asOf).fold(named)(named.asOf)
    val manifest = dataset.manifest
    Iterator(Seq(dataset.version, dataset.timestamp, manifest.branch, dataset.root, manifest.toBytes))
  }

  /** Returns the columns of `restore`. A dry run has the tags and branches of the versions after the restored
    * one, which keep what it takes back.
    */
  private def restored(arguments: Arguments): StructType = StructType.fromDDL(
    if (arguments(dryRun))
      "restored_version BIGINT NOT NULL, latest_version BIGINT NOT NULL, later_tags ARRAY<STRING> NOT NULL, " +
        "later_branches ARRAY<STRING> NOT NULL"
    else "version BIGINT NOT NULL"
  )

  private def restore(arguments: Arguments): Iterator[Seq[Any]] = {
    val latest = arguments.latest
    val old = arguments(asOf).fold(named(arguments))(arguments.dataset.asOf)
    if (old.root != latest.root) throw otherBranch(old)
    if (arguments(dryRun)) Iterator(plan(old, latest))
    else {
      val statement = Statement("RESTORE", Map("version" -> old.version.toString))
      Iterator(Seq(statement.commit(latest, Operation.Restore(old.version)).dataset.version))
    }
  }

  private def plan(old: Dataset, latest: Dataset): Seq[Any] = {
    val later = new TableRefs(latest).ofVersions(_ > old.version)
    Seq(old.version, latest.version, later.tags.map(_._1), later.branches.map(_._1))
  }

  private def named(arguments: Arguments): Dataset = arguments(Parameter.version).fold(
    throw new LanceUsageException("Nothing to restore was named. Give a version, or a time as as_of.")
  )(_ => arguments.dataset)

  private def otherBranch(old: Dataset) = new LanceUsageException(
    s"Version ${old.version} belongs to another branch, at ${old.root}. Restore a version of the branch " +
      "itself."
  )
}
