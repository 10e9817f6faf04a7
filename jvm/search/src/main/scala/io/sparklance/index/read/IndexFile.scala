package io.sparklance.index.read

import io.sparklance.LanceFormatException
import io.sparklance.data.{
  BlockRange,
  Column,
  ColumnCopy,
  DataBlock,
  FileVersion,
  Fixed32Block,
  Fixed64Block,
  RowRanges,
  Slice,
  VariableBlock
}
import io.sparklance.file.{ColumnRequest, FileReader, FileScan}
import io.sparklance.index.IndexSegment
import io.sparklance.io.{ObjectStore, StorePath}
import io.sparklance.schema.Field

/** An open file of an index segment: a Lance file with flat columns. */
final private[read] class IndexFile(reader: FileReader) extends AutoCloseable {
  val fields: Vector[Field] = reader.schema.fields
  def metadata: Map[String, String] = reader.schema.metadata
  def rows: Long = reader.numRows

  /** Whether it can be used. Files of version 0.1 store no nulls, so they say nothing about these. */
  def isReadable: Boolean = reader.version match {
    case FileVersion.V0_1 => false
    case FileVersion.V2_0 | FileVersion.V2_1 | FileVersion.V2_2 => fields.forall(_.children.isEmpty)
  }

  /** Refuses a file with fewer columns. */
  def checkColumns(count: Int): Unit =
    if (fields.size < count)
      throw new LanceFormatException(s"the file of an index has ${fields.size} columns, not $count")

  def has(column: String): Boolean = fields.exists(_.name == column)

  /** Returns the number of a column. */
  def column(name: String): Int = {
    val at = fields.indexWhere(_.name == name)
    if (at < 0) throw new LanceFormatException(s"the file of an index has no column '$name'")
    at
  }

  /** Passes the rows of some columns to `use`, batch by batch, until it returns false.
    *
    * @param use
    *   receives the columns and the number of rows to use of them
    */
  def read(columns: Vector[Int], wanted: RowRanges = RowRanges.all)(
      use: (Vector[Column], Int) => Boolean
  ): Unit = {
    val scan = this.scan(columns, wanted)
    var continues = true
    while (continues) {
      val count = scan.fill(IndexFile.BatchRows)
      continues = count > 0 && use(scan.columns, count)
      scan.advance(count)
      scan.columns.foreach(_.discardHead(count))
    }
  }

  /** Reads all rows of some columns into memory. Callers have checked that these are few enough. */
  def readAll(columns: Vector[Int]): Vector[Column] =
    readWithin(columns, Long.MaxValue).getOrElse(Vector.empty)

  /** Reads all rows of some columns into memory. Returns None if their values exceed a number of bytes. */
  def readWithin(columns: Vector[Int], maxBytes: Long): Option[Vector[Column]] = {
    val out = scan(columns, RowRanges.empty).columns.map(c => new Column(BlockRange.copy(c.values, 0, 0)))
    var fits = true
    read(columns) { (batch, count) =>
      batch.zip(out).foreach { case (column, all) => ColumnCopy.append(column, 0, count, all) }
      fits = out.iterator.map(_.values.sizeInBytes).sum <= maxBytes
      fits
    }
    Option.when(fits)(out)
  }

  /** Reads the global buffer whose number a metadata value gives. */
  def buffer(number: String): Slice = reader.globalBuffer(
    number.toIntOption.getOrElse(throw new LanceFormatException(s"a global buffer of number '$number'")),
    IndexFile.MaxBufferBytes
  )

  def close(): Unit = reader.close()

  private def scan(columns: Vector[Int], wanted: RowRanges): FileScan =
    reader.scan(columns.map(number => ColumnRequest(number, fields(number))), wanted, rows)
}

private[read] object IndexFile {
  final private val BatchRows = 1 << 13
  final private val MaxBufferBytes = 64L << 20

  def open(store: ObjectStore, segment: IndexSegment, name: String): IndexFile =
    new IndexFile(
      FileReader.open(store, StorePath.join(segment.files.directory, name), segment.files.sizes.get(name))
    )

  /** Returns 64-bit numbers, none of which may be null. */
  def longs(column: Column, count: Int): Array[Long] = column.values match {
    case block: Fixed64Block =>
      refuseNulls(column, count)
      block.values
    case other => throw wrongType(other)
  }

  /** Returns numbers of rows, none of which may be null. */
  def counts(column: Column, count: Int): Array[Int] = column.values match {
    case block: Fixed32Block =>
      refuseNulls(column, count)
      block.values.iterator.take(count).find(_ < 0).foreach { n =>
        throw new LanceFormatException(s"an index counts ${Integer.toUnsignedString(n)} rows")
      }
      block.values
    case other => throw wrongType(other)
  }

  /** Returns byte strings, none of which may be null. */
  def byteStrings(column: Column, count: Int): VariableBlock = column.values match {
    case block: VariableBlock =>
      refuseNulls(column, count)
      block
    case other => throw wrongType(other)
  }

  def bytesAt(block: VariableBlock, row: Int): Slice =
    Slice(block.bytes, block.offsets(row), block.offsets(row + 1) - block.offsets(row))

  private def wrongType(block: DataBlock) = new LanceFormatException(
    s"the file of an index has a column of another type: ${block.getClass.getSimpleName}"
  )

  private def refuseNulls(column: Column, count: Int): Unit =
    if ((0 until count).exists(column.nulls.isNull))
      throw new LanceFormatException("the file of an index has a null that its kind does not allow")
}
