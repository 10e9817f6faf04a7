package io.sparklance.spark.metadata

import io.sparklance.dataset.Dataset
import io.sparklance.spark.options.MetadataTableName
import io.sparklance.table.Versions
import io.sparklance.table.index.IndexDescription

/** The segments of a version's indices. */
private[spark] object IndicesTable extends DriverTable[IndexOfTable](MetadataTableName.Indices) {

  protected val columns: TableColumns[IndexOfTable] = new TableColumns(
    TableColumn("name", "STRING NOT NULL", "name of the index; it may have several segments", _.index.name),
    TableColumn(
      "uuid",
      "STRING NOT NULL",
      "UUID of the segment, and the name of its directory",
      _.index.uuid
    ),
    TableColumn("type", "STRING", "type of the index, such as BTree or Vector", _.index.kind),
    TableColumn("columns", "ARRAY<STRING> NOT NULL", "paths of the columns in the index", _.columns),
    TableColumn(
      "built_at_version",
      "BIGINT NOT NULL",
      "version of the table that the segment was built from",
      _.index.builtAt
    ),
    TableColumn(
      "fragments",
      "ARRAY<BIGINT>",
      "ids of the covered fragments that the version still has; null if they are not recorded",
      _.covered
    ),
    TableColumn(
      "uncovered_fragments",
      "BIGINT",
      "number of other fragments, which are searched without the segment",
      i => i.covered.map(i.dataset.fragments.size.toLong - _.size)
    ),
    TableColumn("index_version", "INT", "version of the layout of such indices", _.index.version),
    TableColumn("created_at", "TIMESTAMP", "time when the segment was built", _.index.createdAt),
    TableColumn("size", "BIGINT", "bytes of its files, if they are recorded", _.index.sizeBytes)
  )

  protected def items(dataset: Dataset): Iterator[IndexOfTable] = {
    val versions = new Versions(dataset.store, dataset.root)
    val section = versions.find(dataset.version).flatMap(versions.readWhole(_).indexSection)
    val names = FieldPaths.of(dataset.schema)
    section.iterator.flatMap(IndexDescription.all).map(new IndexOfTable(_, dataset, names))
  }
}

/** A segment of an index, as a row of the metadata table `indices`.
  *
  * @param names
  *   paths of the table's fields, by id
  */
final private[spark] class IndexOfTable(
    val index: IndexDescription,
    val dataset: Dataset,
    names: Map[Int, String]
) {
  def columns: Vector[String] = index.fieldIds.flatMap(names.get)
  def covered: Option[Vector[Long]] =
    index.fragments.map(fragments => dataset.fragments.map(_.id).filter(fragments.contains))
}
