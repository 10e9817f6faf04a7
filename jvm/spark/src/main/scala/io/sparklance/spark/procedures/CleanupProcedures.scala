package io.sparklance.spark.procedures

import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.cleanup.{Cleanup, CleanupPolicy, CleanupResult}
import io.sparklance.spark.erasure.{Erasure, ErasureCondition, ErasureRequest}
import io.sparklance.spark.options.StoreOptions

/** Procedures that remove files: of old versions, of failed writes, and of rows that are to be erased. */
private[procedures] object CleanupProcedures {
  private val olderThan = Parameter.text("older_than").optional
  private val retainVersions = Parameter.number("retain_versions").optional
  private val deleteUnverified = Parameter.flag("delete_unverified")
  private val errorIfTagged = Parameter.flag("error_if_tagged_old_versions").optional
  private val versions = Parameter.numbers("versions").optional
  private val before = Parameter.time("before").optional
  private val beforeVersion = Parameter.number("before_version").optional
  private val dryRun = Parameter.flag("dry_run")
  private val condition = Parameter.text("condition")
  private val clones = Parameter.names("clones").optional

  val all: Vector[LanceProcedure] = Vector(
    new LanceProcedure(
      "cleanup",
      "Removes old versions, the files that only these refer to, and the remains of failed writes.",
      Vector(
        olderThan,
        retainVersions,
        deleteUnverified,
        errorIfTagged,
        versions,
        dryRun,
        before,
        beforeVersion
      ),
      cleaned(_)
    )(cleanup),
    LanceProcedure(
      "erase",
      "Deletes rows, removes them from all files and versions of a table, and searches what is left for them.",
      Vector(condition, dryRun, deleteUnverified, clones),
      "kind STRING NOT NULL, place STRING NOT NULL, detail STRING NOT NULL, remains BOOLEAN NOT NULL"
    )(erase)
  )

  /** Returns the columns of `cleanup`. A dry run has the tags and branches for which old versions stay, too.
    */
  private def cleaned(arguments: Arguments): StructType = StructType.fromDDL(
    "bytes_removed BIGINT NOT NULL, old_versions BIGINT NOT NULL, data_files_removed BIGINT NOT NULL, " +
      "transaction_files_removed BIGINT NOT NULL, index_files_removed BIGINT NOT NULL, " +
      "deletion_files_removed BIGINT NOT NULL, failed_deletes BIGINT NOT NULL" +
      (if (arguments(dryRun)) ", keeping_tags ARRAY<STRING> NOT NULL, keeping_branches ARRAY<STRING> NOT NULL"
       else "")
  )

  private def cleanup(arguments: Arguments): Iterator[Seq[Any]] = {
    val cleanup = new Cleanup(arguments.latest, policy(arguments))
    if (arguments(dryRun)) {
      val plan = cleanup.plan()
      Iterator(counts(plan.result) ++ Seq(plan.keeping.tags.map(_._1), plan.keeping.branches.map(_._1)))
    } else Iterator(counts(cleanup.run()))
  }

  private def counts(done: CleanupResult): Seq[Any] = Seq[Any](
    done.bytesRemoved,
    done.oldVersions.toLong,
    done.dataFilesRemoved.toLong,
    done.transactionFilesRemoved.toLong,
    done.indexFilesRemoved.toLong,
    done.deletionFilesRemoved.toLong,
    done.failedDeletes.toLong
  )

  private def policy(arguments: Arguments): CleanupPolicy = {
    val policy =
      CleanupPolicy(
        arguments(olderThan).map(CleanupPolicy.age),
        arguments(retainVersions),
        arguments(versions).map(_.toSet),
        before = arguments(before),
        beforeVersion = arguments(beforeVersion)
      )
    val chosen = if (policy == CleanupPolicy()) CleanupPolicy.default else policy
    chosen.copy(
      deleteUnverified = arguments(deleteUnverified),
      errorIfTagged = arguments(errorIfTagged).getOrElse(true)
    )
  }

  private def erase(arguments: Arguments): Iterator[Seq[Any]] = {
    val roots = arguments(clones).getOrElse(Vector.empty).map(StoreOptions.locate(_).root)
    val rows = ErasureCondition(arguments(condition), name(arguments(Parameter.table)))
    val request = ErasureRequest(rows, arguments(deleteUnverified), roots)
    val erasure = new Erasure(arguments.location, request)
    val findings = if (arguments(dryRun)) erasure.plan() else erasure.run()
    findings.iterator.map(found => Seq[Any](found.kind, found.place, found.detail, found.remains))
  }

  /** Returns the last part of a table's name, by which a condition may call it. */
  private def name(table: String): Option[String] =
    Option.unless(TableArgument.isPath(table))(CatalystSqlParser.parseMultipartIdentifier(table).last)
}
