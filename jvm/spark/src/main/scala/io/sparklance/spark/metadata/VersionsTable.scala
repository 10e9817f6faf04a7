package io.sparklance.spark.metadata

import io.sparklance.dataset.{Dataset, KnownVersion, TableRefs}
import io.sparklance.spark.options.MetadataTableName

/** The versions of a table and their sizes, newest first. */
private[spark] object VersionsTable extends DriverTable[TaggedVersion](MetadataTableName.Versions) {

  protected val columns: TableColumns[TaggedVersion] = new TableColumns(
    TableColumn("version", "BIGINT NOT NULL", "number of the version, from 1", _.known.version),
    TableColumn("timestamp", "TIMESTAMP NOT NULL", "time of the commit", _.known.timestamp),
    TableColumn("tags", "ARRAY<STRING> NOT NULL", "tags of the version", _.tags),
    TableColumn(
      "fragments",
      "BIGINT NOT NULL",
      "number of fragments",
      _.known.manifest.fragments.size.toLong
    ),
    TableColumn(
      "rows",
      "BIGINT",
      "number of rows without deleted ones; null if the manifest does not record it",
      v => ManifestCounts.rows(v.known.manifest)
    ),
    TableColumn(
      "data_files",
      "BIGINT NOT NULL",
      "number of data files",
      v => ManifestCounts.dataFiles(v.known.manifest)
    ),
    TableColumn(
      "deletion_files",
      "BIGINT NOT NULL",
      "number of deletion files",
      v => ManifestCounts.deletionFiles(v.known.manifest)
    ),
    TableColumn(
      "size",
      "BIGINT",
      "bytes of the data files; null if the manifest does not record them",
      v => ManifestCounts.size(v.known.manifest)
    ),
    TableColumn("manifest", "STRING NOT NULL", "path of the manifest", _.known.file.path),
    TableColumn("manifest_size", "BIGINT NOT NULL", "bytes of the manifest", _.known.manifestBytes)
  )

  protected def items(dataset: Dataset): Iterator[TaggedVersion] = {
    val refs = new TableRefs(dataset)
    lazy val tags = refs.tags.all.filter(_._2.branch == refs.branch).groupMap(_._2.version)(_._1)
    KnownVersion.all(dataset).iterator.map(new TaggedVersion(_, tags))
  }
}

/** A version with its tags.
  *
  * @param all
  *   tags by version
  */
final private[spark] class TaggedVersion(val known: KnownVersion, all: => Map[Long, Vector[String]]) {
  def tags: Vector[String] = all.getOrElse(known.version, Vector.empty).sorted
}
