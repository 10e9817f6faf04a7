package io.sparklance.spark.metadata

import io.sparklance.dataset.{Dataset, KnownVersion, TableRefs}
import io.sparklance.spark.options.MetadataTableName

/** The versions of a table and their sizes, newest first. */
private[spark] object VersionsTable extends DriverTable[TaggedVersion](MetadataTableName.Versions) {

  protected val columns: TableColumns[TaggedVersion] = new TableColumns(
    TableColumn("version", "BIGINT NOT NULL", "counts from 1", _.known.version),
    TableColumn("timestamp", "TIMESTAMP NOT NULL", "when it was committed", _.known.timestamp),
    TableColumn("tags", "ARRAY<STRING> NOT NULL", "that name it", _.tags),
    TableColumn("fragments", "BIGINT NOT NULL", "how many it has", _.known.manifest.fragments.size.toLong),
    TableColumn(
      "rows",
      "BIGINT",
      "that are not deleted; null if its manifest does not tell",
      v => ManifestCounts.rows(v.known.manifest)
    ),
    TableColumn(
      "data_files",
      "BIGINT NOT NULL",
      "how many it has",
      v => ManifestCounts.dataFiles(v.known.manifest)
    ),
    TableColumn(
      "deletion_files",
      "BIGINT NOT NULL",
      "how many it has",
      v => ManifestCounts.deletionFiles(v.known.manifest)
    ),
    TableColumn(
      "size",
      "BIGINT",
      "bytes of its data files; null if its manifest does not tell",
      v => ManifestCounts.size(v.known.manifest)
    ),
    TableColumn("manifest", "STRING NOT NULL", "the file that describes it", _.known.file.path),
    TableColumn("manifest_size", "BIGINT NOT NULL", "bytes of that", _.known.manifestBytes)
  )

  protected def items(dataset: Dataset): Iterator[TaggedVersion] = {
    val refs = new TableRefs(dataset)
    lazy val tags = refs.tags.all.filter(_._2.branch == refs.branch).groupMap(_._2.version)(_._1)
    KnownVersion.all(dataset).iterator.map(new TaggedVersion(_, tags))
  }
}

/** @param all tags by version */
final private[spark] class TaggedVersion(val known: KnownVersion, all: => Map[Long, Vector[String]]) {
  def tags: Vector[String] = all.getOrElse(known.version, Vector.empty).sorted
}
