package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.cleanup.{Cleanup, CleanupPolicy, CleanupResult}

private[sparklance] object CleanUpTable
    extends LanceProcedure(
      "cleanup",
      "Removes old versions, the files that only these refer to, and the remains of failed writes."
    ) {
  private val olderThan = Parameter.text("older_than").optional
  private val retainVersions = Parameter.number("retain_versions").optional
  private val deleteUnverified = Parameter.flag("delete_unverified")
  private val errorIfTagged = Parameter.flag("error_if_tagged_old_versions").optional
  private val versions = Parameter.numbers("versions").optional
  private val dryRun = Parameter.flag("dry_run")

  val parameters: Vector[Parameter[_]] =
    Vector(Parameter.table, olderThan, retainVersions, deleteUnverified, errorIfTagged, versions, dryRun)

  val result: StructType = StructType.fromDDL(
    "bytes_removed BIGINT NOT NULL, old_versions BIGINT NOT NULL, data_files_removed BIGINT NOT NULL, " +
      "transaction_files_removed BIGINT NOT NULL, index_files_removed BIGINT NOT NULL, " +
      "deletion_files_removed BIGINT NOT NULL, failed_deletes BIGINT NOT NULL"
  )

  /** Adds the tags and branches for which old versions stay. */
  override def resultOf(arguments: Arguments): StructType =
    if (arguments(dryRun)) StructType(result ++ StructType.fromDDL(
      "keeping_tags ARRAY<STRING> NOT NULL, keeping_branches ARRAY<STRING> NOT NULL"
    ))
    else result

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
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
        arguments(versions).map(_.toSet)
      )
    val chosen = if (policy == CleanupPolicy()) CleanupPolicy.default else policy
    chosen.copy(
      deleteUnverified = arguments(deleteUnverified),
      errorIfTagged = arguments(errorIfTagged).getOrElse(true)
    )
  }
}
