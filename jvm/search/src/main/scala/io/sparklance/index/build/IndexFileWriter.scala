package io.sparklance.index.build

import io.sparklance.data.{
  Column,
  DataBlock,
  FileVersion,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  Slice,
  VariableBlock
}
import io.sparklance.encoding.compression.FileDictionaries
import io.sparklance.encoding.logical.{FieldArrays, FieldPages, LeafColumn}
import io.sparklance.file.{FileColumns, FileWriter}
import io.sparklance.io.{ObjectStore, StorePath}
import io.sparklance.schema.LanceSchema

/** A file of an index segment, as the manifest lists it.
  *
  * @param name
  *   relative to the segment's directory
  */
final private[sparklance] case class WrittenIndexFile(name: String, sizeBytes: Long)

/** Writes a file of an index segment, row by row: append a value to each column, then call [[rowWritten]].
  * Memory is bounded by the page size, and what a call adds.
  *
  * @param directory
  *   of the segment
  * @param schema
  *   fields with at most one child each
  */
final private[index] class IndexFileWriter(
    store: ObjectStore,
    directory: String,
    name: String,
    schema: LanceSchema,
    version: FileVersion
) extends UnfinishedFile {
  private val file = new FileWriter(store.create(StorePath.join(directory, name)), schema, version)
  private val leaves = schema.fields.map(FileColumns.leaves)
  private val firstColumns = schema.fields.map(FileColumns.of(_, version).size).scanLeft(0)(_ + _)
  private val dictionaries = new FileDictionaries
  private var flushed, rows = 0L

  /** One for each field; the caller appends to them, or lets this class do it. */
  val columns: Vector[Column] = schema.fields.map(LeafColumn.ofNulls)

  private val blocks: Array[DataBlock] = columns.map(_.values).toArray

  /** Appends a key; None for null. */
  def appendKey[K <: AnyRef](column: Int, key: Option[K], keys: IndexKeys[K]): Unit = {
    val to = columns(column)
    key.fold(to.appendNulls(1)) { value =>
      keys.append(value, to.values)
      to.nulls.appendValid(1)
    }
  }

  /** Appends a number of 1, 4 or 8 bytes. */
  def appendNumber(column: Int, number: Long): Unit = {
    columns(column).values match {
      case block: Fixed8Block => block.append(number.toByte)
      case block: Fixed32Block => block.append(number.toInt)
      case block: Fixed64Block => block.append(number)
      case other => throw new IllegalStateException(s"no numbers: ${other.getClass}")
    }
    columns(column).nulls.appendValid(1)
  }

  def appendBytes(column: Int, bytes: Array[Byte]): Unit = {
    columns(column).values match {
      case block: VariableBlock => block.append(bytes, 0, bytes.length)
      case other => throw new IllegalStateException(s"no byte strings: ${other.getClass}")
    }
    columns(column).nulls.appendValid(1)
  }

  def rowWritten(): Unit = rowsWritten(1)

  /** Ends rows whose values have been appended. */
  def rowsWritten(n: Int): Unit = {
    rows += n
    if (isPageFull) flush()
  }

  /** Adds a global buffer. The first one has number 1. */
  def writeGlobalBuffer(bytes: Array[Byte]): Unit = { val _ = file.writeGlobalBuffer(Slice(bytes)) }

  /** Completes the file.
    *
    * @param metadata
    *   further metadata of the schema
    */
  def finish(metadata: Map[String, String] = Map.empty): WrittenIndexFile = {
    if (rows > flushed || rows == 0) flush()
    WrittenIndexFile(name, file.finish(metadata))
  }

  /** Removes the file. */
  def abort(): Unit = file.abort()

  private def isPageFull: Boolean = {
    var i = 0
    while (i < blocks.length && blocks(i).sizeInBytes < IndexFileWriter.PageBytes) i += 1
    i < blocks.length
  }

  private def flush(): Unit = {
    version match {
      case FileVersion.V0_1 | FileVersion.V2_0 => columns.indices.foreach(writeArrays)
      case FileVersion.V2_1 | FileVersion.V2_2 => if (rows > flushed) columns.indices.foreach(writePages)
    }
    columns.foreach { column =>
      column.clear()
      column.release(2 * IndexFileWriter.PageBytes)
    }
    flushed = rows
  }

  private def writeArrays(i: Int): Unit =
    FieldArrays.encode(columns(i), schema.fields(i), dictionaries).zipWithIndex.foreach { case (page, leaf) =>
      file.writeArray(firstColumns(i) + leaf, page)
    }

  private def writePages(i: Int): Unit = {
    val pages = FieldPages.encode(columns(i), leaves(i), version, dictionaries).flatten
    pages.zip(pages.scanLeft(flushed)(_ + _.rows)).foreach { case (page, firstRow) =>
      file.writePage(firstColumns(i), page, firstRow)
    }
  }
}

private[sparklance] object IndexFileWriter {

  /** Bytes of a column in memory with which a page is written. */
  final private val PageBytes = 8L << 20

  /** Returns the version of index files of a table. */
  def versionFor(table: FileVersion): FileVersion = table match {
    case FileVersion.V0_1 => FileVersion.V2_0
    case other @ (FileVersion.V2_0 | FileVersion.V2_1 | FileVersion.V2_2) => other
  }
}
