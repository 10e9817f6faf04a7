package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.schema.PrimaryKey
import io.sparklance.spark.metadata.ManifestCounts

private[sparklance] object Detail extends LanceProcedure("detail", "Describes a table in one row.") {
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, Parameter.version)

  val result: StructType = StructType.fromDDL(
    "format STRING NOT NULL, location STRING NOT NULL, version BIGINT NOT NULL, branch STRING, " +
      "last_modified TIMESTAMP NOT NULL, rows BIGINT, fragments BIGINT NOT NULL, data_files BIGINT NOT NULL, " +
      "deletion_files BIGINT NOT NULL, size BIGINT, file_version STRING NOT NULL, stable_row_ids BOOLEAN NOT NULL, " +
      "primary_key ARRAY<STRING> NOT NULL, config MAP<STRING, STRING> NOT NULL, metadata MAP<STRING, STRING> NOT NULL"
  )

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val dataset = arguments.dataset
    val manifest = dataset.manifest
    Iterator(
      Seq[Any](
        "lance",
        arguments.location.at(dataset).uri,
        dataset.version,
        manifest.branch,
        dataset.timestamp,
        ManifestCounts.rows(manifest),
        manifest.fragments.size.toLong,
        ManifestCounts.dataFiles(manifest),
        ManifestCounts.deletionFiles(manifest),
        ManifestCounts.size(manifest),
        manifest.fileVersionName,
        dataset.hasStableRowIds,
        PrimaryKey.of(dataset.schema),
        manifest.config,
        manifest.tableMetadata
      )
    )
  }
}
