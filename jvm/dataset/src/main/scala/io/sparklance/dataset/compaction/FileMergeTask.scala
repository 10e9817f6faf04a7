package io.sparklance.dataset.compaction

import scala.util.Using

import io.sparklance.data.{ByteRange, FileVersion, Slice}
import io.sparklance.dataset.statistics.StatisticsCodec
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.file.{ColumnMetadata, ColumnRequest, FileColumns, FileReader, FileWriter, PageMetadata}
import io.sparklance.io.{Closing, ObjectStore, StorePath}
import io.sparklance.schema.{LanceSchema, Leaf}
import io.sparklance.table.{DataFileName, WriteId}
import io.sparklance.{LanceFormatException, Location}

/** Columns of a fragment to copy to a new file, with everything that an executor needs. Pages are copied as
  * stored, without decoding; deleted rows stay.
  *
  * @param rows
  *   of the fragment, deleted ones included
  * @param schema
  *   of the new file
  * @param sources
  *   one for each of its columns
  */
final private[sparklance] case class FileMergeTask(
    fragmentId: Long,
    rows: Long,
    schema: LanceSchema,
    version: FileVersion,
    sources: Vector[ColumnSource],
    write: WriteId
) {
  private def leaves: Vector[Leaf] = schema.fields.flatMap(FileColumns.leaves)

  /** Writes the file. A failure leaves none. */
  def run(store: ObjectStore, root: String): WrittenFile = {
    val name = DataFileName.random(write)
    Using.resource(new SourceFiles(store, sources)) { files =>
      val target = new FileWriter(store.create(StorePath.join(root, "data", name)), schema, version)
      Closing.ifFailed(() => target.abort()) {
        copyColumns(files, target)
        WrittenFile.of(schema, version, name, target.finish(), rows)
      }
    }
  }

  private def copyColumns(files: SourceFiles, target: FileWriter): Unit = {
    val requests = sources.zip(leaves).map { case (source, leaf) => ColumnRequest(source.column, leaf) }
    val columns = stored(files, requests)
    val pages = for ((column, i) <- columns.zipWithIndex; page <- column.pages) yield i -> page
    // In the order of rows, as a writer would have written them.
    pages.sortBy(_._2.firstRow).foreach { case (i, page) =>
      locating(i)(target.copyPage(i, page, FileMergeTask.bytes(files.of(sources(i)), page)))
    }
    columns.indices.foreach { i =>
      locating(i)(copyStatistics(files.of(sources(i)), requests(i), i, target))
    }
  }

  /** Returns the stored form of each column. */
  private def stored(files: SourceFiles, requests: Vector[ColumnRequest]): Vector[ColumnMetadata] = {
    val columns = new Array[ColumnMetadata](sources.size)
    sources.indices.groupBy(sources(_).path).values.foreach { of =>
      val reader = files.of(sources(of.head))
      of.zip(reader.stored(of.map(requests).toVector)).foreach { case (i, column) =>
        locating(i)(check(reader, column))
        columns(i) = column
      }
    }
    columns.toVector
  }

  private def check(reader: FileReader, column: ColumnMetadata): Unit = {
    if (reader.version != version)
      throw new LanceFormatException(
        s"a file of version ${reader.version}, where the manifest says $version"
      )
    if (column.rows != rows)
      throw new LanceFormatException(s"a column of ${column.rows} rows where $rows are expected")
  }

  /** Copies statistics with the number of the new column. */
  private def copyStatistics(
      reader: FileReader,
      request: ColumnRequest,
      column: Int,
      target: FileWriter
  ): Unit = {
    val logicalType = request.leaf.field.logicalType
    reader.columnBuffers(request).flatMap(StatisticsCodec.parse(_, request.columnIndex, logicalType)).foreach {
      statistics =>
        target.writeColumnBuffer(column, Slice(StatisticsCodec.print(statistics, column, logicalType)))
    }
  }

  private def locating[A](column: Int)(body: => A): A =
    LanceFormatException.locating(
      Location(file = Some(sources(column).path), column = Some(leaves(column).name))
    )(body)
}

/** Place of a stored column.
  *
  * @param path
  *   absolute
  * @param size
  *   of the file, if the manifest has it
  */
final private[sparklance] case class ColumnSource(path: String, size: Option[Long], column: Int)

private object FileMergeTask {

  /** Reads the buffers of a page by one request, if they are near each other. */
  private def bytes(reader: FileReader, page: PageMetadata): ByteRange => Slice = {
    val start = page.buffers.map(_.offset).minOption.getOrElse(0L)
    val hull = ByteRange(start, page.buffers.map(_.end).maxOption.getOrElse(0L) - start)
    if (hull.length > math.min(FileWriter.CopyStep, 2 * page.buffers.map(_.length).sum)) reader.read
    else {
      lazy val all = reader.read(hull)
      range => all.slice(range.offset - start, range.length, "a page buffer")
    }
  }
}

/** The open files of a task. */
final private class SourceFiles(store: ObjectStore, sources: Vector[ColumnSource]) extends AutoCloseable {
  private val readers = sources.distinctBy(_.path).foldLeft(Map.empty[String, FileReader]) { (open, source) =>
    open +
      (source.path -> Closing.ifFailed(() => Closing.all(open.values))(
        FileReader.open(store, source.path, source.size)
      ))
  }

  def of(source: ColumnSource): FileReader = readers(source.path)

  override def close(): Unit = Closing.all(readers.values)
}
