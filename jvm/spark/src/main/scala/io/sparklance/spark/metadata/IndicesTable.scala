package io.sparklance.spark.metadata

import io.sparklance.dataset.Dataset
import io.sparklance.spark.options.MetadataTableName
import io.sparklance.table.Versions
import io.sparklance.table.index.IndexDescription

/** The segments of a version's indices. */
private[metadata] object IndicesTable extends DriverTable[IndexOfTable](MetadataTableName.Indices) {

  protected val columns: TableColumns[IndexOfTable] = new TableColumns(
    TableColumn("name", "STRING NOT NULL", "of the index; it may have several segments", _.index.name),
    TableColumn("uuid", "STRING NOT NULL", "of the segment, and the name of its directory", _.index.uuid),
    TableColumn("type", "STRING", "the message of its details, such as BTree or Vector", _.index.kind),
    TableColumn("columns", "ARRAY<STRING> NOT NULL", "the paths of its columns", _.columns),
    TableColumn(
      "built_at_version",
      "BIGINT NOT NULL",
      "the version of the table from which it was built",
      _.index.builtAt
    ),
    TableColumn(
      "fragments",
      "ARRAY<BIGINT>",
      "the ids of those that it covers and that the version still has; null if it does not say",
      _.covered
    ),
    TableColumn(
      "uncovered_fragments",
      "BIGINT",
      "how many others the version has, which are searched without it",
      i => i.covered.map(i.dataset.fragments.size.toLong - _.size)
    ),
    TableColumn("index_version", "INT", "of the layout of such indices", _.index.version),
    TableColumn("created_at", "TIMESTAMP", "when it was built", _.index.createdAt),
    TableColumn("size", "BIGINT", "bytes of its files, if they are listed", _.index.sizeBytes)
  )

  protected def items(dataset: Dataset): Iterator[IndexOfTable] = {
    val versions = new Versions(dataset.store, dataset.root)
    val section = versions.find(dataset.version).flatMap(versions.readWhole(_).indexSection)
    val names = FieldPaths.of(dataset.schema)
    section.iterator.flatMap(IndexDescription.all).map(new IndexOfTable(_, dataset, names))
  }
}

/** @param names paths of the table's fields, by id */
final private class IndexOfTable(val index: IndexDescription, val dataset: Dataset, names: Map[Int, String]) {
  def columns: Vector[String] = index.fieldIds.flatMap(names.get)
  def covered: Option[Vector[Long]] =
    index.fragments.map(fragments => dataset.fragments.map(_.id).filter(fragments.contains))
}
