package io.sparklance.spark.metadata

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{
  Batch,
  InputPartition,
  PartitionReader,
  PartitionReaderFactory,
  Scan
}
import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.scan.DataFilePages
import io.sparklance.file.StoredPage
import io.sparklance.schema.Field
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.options.MetadataTableName
import io.sparklance.spark.session.TableLocation

/** The pages of a version's data files, with their encodings. Tasks read them. */
private[metadata] object ColumnsOnDisk extends MetadataKind {
  val id: MetadataTableName = MetadataTableName.ColumnsOnDisk

  /** Number of files whose metadata one task reads, at most. */
  private val FilesPerTask = 16

  val columns: TableColumns[PageOfColumn] = new TableColumns(
    TableColumn("fragment_id", "BIGINT NOT NULL", "fragment of the file", _.of.fragmentId),
    TableColumn("file", "STRING NOT NULL", "path of the data file", _.of.file.path),
    TableColumn("file_version", "STRING NOT NULL", "version of the file format", _.of.version),
    TableColumn("column", "STRING NOT NULL", "the path of the field", _.path),
    TableColumn("field_id", "INT NOT NULL", "id of the field", _.fieldId),
    TableColumn("column_index", "INT NOT NULL", "number of the column in the file, from 0", _.column),
    TableColumn("page", "INT NOT NULL", "number of the page in the column, from 0", _.page),
    TableColumn(
      "first_row",
      "BIGINT NOT NULL",
      "first row of the page, from 0; before 2.1, a column of list items counts items",
      _.stored.firstRow
    ),
    TableColumn("rows", "BIGINT NOT NULL", "number of rows, with deleted ones", _.stored.rows),
    TableColumn("size", "BIGINT NOT NULL", "bytes of the page's buffers", _.stored.bytes),
    TableColumn(
      "encoding",
      "STRING",
      "encodings as a tree, in the format's terms (inspect.md); null in version 0.1, which does not record them",
      _.stored.encoding
    ),
    TableColumn(
      "ratio",
      "DOUBLE",
      "plain bytes / size; null for strings and empty pages",
      _.stored.ratio
    )
  )

  def schema: StructType = columns.schema

  def scan(location: TableLocation, dataset: Dataset, wanted: Vector[String], limit: Option[Int]): Scan = {
    // The number of pages of a file is not known beforehand, so Spark applies limits.
    val partitions =
      DataFilePages.all(dataset).grouped(FilesPerTask).map(FilesToTell(_)).toArray[InputPartition]
    val factory = ColumnsOnDiskFactory(
      location.forTasks(dataset),
      DataFilePages.fields(dataset.schema),
      FieldPaths.of(dataset.schema),
      wanted
    )
    new ColumnsOnDiskScan(location, dataset.version, columns.chosen(wanted), partitions, factory)
  }
}

/** A page of a column of a file.
  *
  * @param path
  *   path of the field
  * @param column
  *   index of the column in the file
  */
final private case class PageOfColumn(
    of: DataFilePages,
    path: String,
    fieldId: Int,
    column: Int,
    page: Int,
    stored: StoredPage
)

final private case class FilesToTell(files: Vector[DataFilePages]) extends InputPartition

final private class ColumnsOnDiskScan(
    location: TableLocation,
    version: Long,
    override val readSchema: StructType,
    partitions: Array[InputPartition],
    factory: ColumnsOnDiskFactory
) extends Scan
    with Batch {
  override def description(): String = s"${ColumnsOnDisk.name} of $location, version $version"
  override def toBatch: Batch = this
  override def planInputPartitions(): Array[InputPartition] = partitions
  override def createReaderFactory(): PartitionReaderFactory = factory
}

/** Makes readers of the metadata table `columns_on_disk`.
  *
  * @param paths
  *   paths of the fields
  * @param wanted
  *   names of the wanted columns
  */
final private case class ColumnsOnDiskFactory(
    location: TableLocation,
    fields: Map[Int, Field],
    paths: Map[Int, String],
    wanted: Vector[String]
) extends PartitionReaderFactory {

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] = translating {
    partition match {
      case FilesToTell(files) =>
        new Reader(files.iterator.flatMap(pages).map(ColumnsOnDisk.columns.row(wanted)))
      case other => throw new IllegalArgumentException(s"no files of a table: $other")
    }
  }

  private def pages(file: DataFilePages): Iterator[PageOfColumn] = for {
    column <- file.read(location.store, fields).iterator
    (page, index) <- column.pages.iterator.zipWithIndex
  } yield PageOfColumn(file, paths(column.fieldId), column.fieldId, column.column, index, page)

  final private class Reader(rows: Iterator[InternalRow]) extends PartitionReader[InternalRow] {
    private var current: InternalRow = _

    override def next(): Boolean = translating {
      val found = rows.hasNext
      if (found) current = rows.next()
      found
    }
    override def get(): InternalRow = current
    override def close(): Unit = ()
  }
}
