package io.sparklance.spark.procedures

import io.sparklance.dataset.scan.RowPositions
import io.sparklance.dataset.validation.Validation
import io.sparklance.schema.PrimaryKey
import io.sparklance.spark.history.Statement
import io.sparklance.spark.metadata.{FragmentsTable, ManifestCounts}
import io.sparklance.spark.statistics.AnalyzeJob
import io.sparklance.table.NamingMigration

/** Procedures that describe a table, and change its format in place. */
private[procedures] object TableProcedures {
  private val columns = Parameter.names("columns").optional
  private val positions = Parameter.numbers("positions")

  val all: Vector[LanceProcedure] = Vector(
    LanceProcedure.listing(
      "fragments",
      "Lists the fragments of a version.",
      FragmentsTable,
      Parameter.version
    ),
    LanceProcedure(
      "detail",
      "Describes a table in one row.",
      Vector(Parameter.version),
      "format STRING NOT NULL, location STRING NOT NULL, version BIGINT NOT NULL, branch STRING, " +
        "last_modified TIMESTAMP NOT NULL, rows BIGINT, fragments BIGINT NOT NULL, data_files BIGINT NOT NULL, " +
        "deletion_files BIGINT NOT NULL, size BIGINT, file_version STRING NOT NULL, stable_row_ids BOOLEAN NOT NULL, " +
        "primary_key ARRAY<STRING> NOT NULL, config MAP<STRING, STRING> NOT NULL, metadata MAP<STRING, STRING> NOT NULL"
    )(detail),
    LanceProcedure(
      "analyze",
      "Collects statistics of columns for Spark's optimizer.",
      Vector(columns),
      "column STRING NOT NULL, rows BIGINT NOT NULL, nulls BIGINT NOT NULL, distinct_values BIGINT NOT NULL, " +
        "min STRING, max STRING, average_length BIGINT NOT NULL, longest_length BIGINT NOT NULL"
    )(analyze),
    LanceProcedure(
      "row_addresses",
      "Finds rows by their positions in the table, from 0: the `_rowaddr` of each.",
      Vector(positions, Parameter.version),
      "position BIGINT NOT NULL, _rowaddr BIGINT NOT NULL"
    )(rowAddresses),
    LanceProcedure(
      "validate",
      "Compares a table's manifest with its files; no row means no problem.",
      Vector(Parameter.version),
      "fragment BIGINT, file STRING, problem STRING NOT NULL"
    )(validate),
    LanceProcedure(
      "enable_stable_row_ids",
      "Gives the rows of a table ids that they keep when they are updated or moved.",
      Vector.empty,
      "version BIGINT NOT NULL, enabled BOOLEAN NOT NULL"
    )(enableStableRowIds),
    LanceProcedure(
      "migrate_manifest_names",
      "Renames the manifests of an old table, so that the latest is found faster. Nobody may use the table meanwhile.",
      Vector.empty,
      "migrated INT NOT NULL"
    )(migrateManifestNames)
  )

  private def detail(arguments: Arguments): Iterator[Seq[Any]] = {
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

  private def analyze(arguments: Arguments): Iterator[Seq[Any]] =
    new AnalyzeJob(arguments.location).run(arguments(columns)).iterator.map { case (name, summary) =>
      import summary.{bounds, counts, sizes}
      Seq[Any](
        name,
        counts.rows,
        counts.nulls,
        counts.distinct,
        bounds.map(_.min),
        bounds.map(_.max),
        sizes.average,
        sizes.longest
      )
    }

  private def rowAddresses(arguments: Arguments): Iterator[Seq[Any]] = {
    val wanted = arguments(positions)
    RowPositions.addresses(arguments.dataset, wanted).iterator.zip(wanted.iterator).map {
      case (address, position) => Seq(position, address)
    }
  }

  private def validate(arguments: Arguments): Iterator[Seq[Any]] =
    Validation.problems(arguments.dataset).iterator.map(p => Seq(p.fragment, p.file, p.message))

  private def enableStableRowIds(arguments: Arguments): Iterator[Seq[Any]] = {
    val latest = arguments.latest
    if (latest.hasStableRowIds) Iterator(Seq[Any](latest.version, false))
    else Iterator(Seq[Any](
      Statement("ENABLE STABLE ROW IDS").commit(latest, latest.identifyingRows).dataset.version,
      true
    ))
  }

  private def migrateManifestNames(arguments: Arguments): Iterator[Seq[Any]] = {
    val location = arguments.location
    Iterator(Seq(new NamingMigration(location.store, location.root).run()))
  }
}
