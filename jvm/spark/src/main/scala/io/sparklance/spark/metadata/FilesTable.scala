package io.sparklance.spark.metadata

import io.sparklance.dataset.Dataset
import io.sparklance.spark.options.MetadataTableName
import io.sparklance.table.{DataFile, DeletionFile, Fragment, TablePaths}

/** The data and deletion files of a version. */
private[metadata] object FilesTable extends DriverTable[FileOfFragment](MetadataTableName.Files) {

  protected val columns: TableColumns[FileOfFragment] = new TableColumns(
    TableColumn("fragment_id", "BIGINT NOT NULL", "fragment of the file", _.fragment.id),
    TableColumn("content", "STRING NOT NULL", "data or deletions", _.content),
    TableColumn("path", "STRING NOT NULL", "path of the file", _.path),
    TableColumn("size", "BIGINT", "bytes of the file; null if the manifest does not record them", _.size),
    TableColumn("rows", "BIGINT", "rows of a data file, or deleted rows of a deletion file", _.rows),
    TableColumn("file_version", "STRING", "version of the file format, for data files", _.version),
    TableColumn(
      "field_ids",
      "ARRAY<INT>",
      "ids of the fields in a data file; negative ones are not columns of the table",
      _.fieldIds
    ),
    TableColumn("columns", "ARRAY<STRING>", "paths of the fields that are columns of the table", _.columns),
    TableColumn(
      "base_id",
      "INT",
      "id of the base path of a file outside the table's own directory",
      _.baseId
    )
  )

  protected def items(dataset: Dataset): Iterator[FileOfFragment] = {
    val paths = new TablePaths(dataset.root, dataset.manifest)
    val names = FieldPaths.of(dataset.schema)
    dataset.fragments.iterator.flatMap { fragment =>
      fragment.files.map(new DataOfFragment(fragment, _, paths, names)) ++
        fragment.deletionFile.map(new DeletionsOfFragment(fragment, _, paths))
    }
  }
}

sealed private trait FileOfFragment {
  def fragment: Fragment
  def content: String
  def path: String
  def size: Option[Long]
  def rows: Option[Long]
  def version: Option[String]
  def fieldIds: Option[Vector[Int]]
  def columns: Option[Vector[String]]
  def baseId: Option[Int]
}

/** A data file of a fragment, as a row of the metadata table `files`.
  *
  * @param names
  *   paths of the table's fields, by id
  */
final private class DataOfFragment(
    val fragment: Fragment,
    file: DataFile,
    paths: TablePaths,
    names: Map[Int, String]
) extends FileOfFragment {
  def content: String = "data"
  def path: String = paths.dataFile(file)
  def size: Option[Long] = file.size
  def rows: Option[Long] = fragment.physicalRows
  def version: Option[String] = Some(file.versionName)
  def fieldIds: Option[Vector[Int]] = Some(file.fieldIds)
  def columns: Option[Vector[String]] = Some(file.fieldIds.flatMap(names.get))
  def baseId: Option[Int] = file.baseId
}

final private class DeletionsOfFragment(val fragment: Fragment, file: DeletionFile, paths: TablePaths)
    extends FileOfFragment {
  def content: String = "deletions"
  def path: String = paths.deletionFile(fragment, file)
  def size: Option[Long] = None
  def rows: Option[Long] = file.deletedRows
  def version: Option[String] = None
  def fieldIds: Option[Vector[Int]] = None
  def columns: Option[Vector[String]] = None
  def baseId: Option[Int] = file.baseId
}
