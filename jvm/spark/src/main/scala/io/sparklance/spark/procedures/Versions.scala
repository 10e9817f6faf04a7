package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.History
import io.sparklance.spark.metadata.ManifestCounts

object Versions extends LanceProcedure(
      "versions",
      "Lists the versions of a table and how large they are, newest first."
    ) {
  private val limit = Parameter.number("limit").optional
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, limit)

  val result: StructType = StructType.fromDDL(
    "version BIGINT NOT NULL, timestamp TIMESTAMP NOT NULL, fragments BIGINT NOT NULL, rows BIGINT, " +
      "data_files BIGINT NOT NULL, deletion_files BIGINT NOT NULL, size BIGINT"
  )

  def call(arguments: Arguments): Iterator[Seq[Any]] =
    Limited(new History(arguments.latest).commits, arguments(limit)).map { commit =>
      Seq(
        commit.version,
        commit.timestamp,
        commit.manifest.fragments.size.toLong,
        ManifestCounts.rows(commit.manifest),
        ManifestCounts.dataFiles(commit.manifest),
        ManifestCounts.deletionFiles(commit.manifest),
        ManifestCounts.size(commit.manifest)
      )
    }
}
