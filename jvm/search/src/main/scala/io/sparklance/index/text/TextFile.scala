package io.sparklance.index.text

import io.sparklance.LanceFormatException
import io.sparklance.data.{
  BlockRange,
  Column,
  ColumnCopy,
  DataBlock,
  FileVersion,
  Fixed32Block,
  Fixed64Block,
  ListBlock,
  RowRange,
  RowRanges,
  Slice,
  VariableBlock
}
import io.sparklance.file.{ColumnRequest, FileReader, FileScan}
import io.sparklance.index.SegmentFiles
import io.sparklance.io.{ObjectStore, StorePath}
import io.sparklance.schema.{Field, Leaf}

/** An open file of a text index: a Lance file whose columns are numbers, byte strings, and lists of these. */
final private[text] class TextFile(reader: FileReader) extends AutoCloseable {
  def rows: Long = reader.numRows
  def metadata: Map[String, String] = reader.schema.metadata
  def has(column: String): Boolean = reader.schema.fields.exists(_.name == column)

  /** Passes one row of some columns on, which may be lists. */
  def readRow[A](columns: Vector[String], row: Long)(use: Vector[Column] => A): A = {
    val scan = reader.scan(columns.map(request), RowRange(row, row + 1), rows)
    if (scan.fill(1) != 1) throw new LanceFormatException(s"a file of a text index without row $row")
    use(scan.columns)
  }

  /** Passes some rows of columns on, which may be lists, each with its place in them and its number.
    *
    * @param chosen
    *   numbers of the rows, ascending
    */
  def readRows(columns: Vector[String], chosen: Array[Int])(use: (Vector[Column], Int, Int) => Unit): Unit = {
    val scan = reader.scan(columns.map(request), RowRanges.ofRows(chosen.map(_.toLong)), rows)
    var done = 0
    var filled = scan.fill(TextFile.Rows)
    while (filled > 0) {
      var i = 0
      while (i < filled) { use(scan.columns, i, chosen(done + i)); i += 1 }
      done += filled
      scan.advance(filled)
      scan.columns.foreach(_.discardHead(filled))
      filled = scan.fill(TextFile.Rows)
    }
    if (done != chosen.length)
      throw new LanceFormatException(s"a file of a text index with $done of ${chosen.length} rows")
  }

  /** Opens a scan of all rows of some columns, which may be lists. */
  def scan(columns: Vector[String]): FileScan =
    reader.scan(columns.map(request), RowRange(0, rows), rows)

  /** Reads some rows of some columns without lists. */
  def read(columns: Vector[String], from: Long, count: Int): Vector[Column] = {
    val scan = reader.scan(columns.map(request), RowRange(from, from + count), rows)
    val out = scan.columns.map(c => new Column(BlockRange.copy(c.values, 0, 0)))
    var some = scan.fill(count)
    while (some > 0) {
      scan.columns.zip(out).foreach { case (column, all) => ColumnCopy.append(column, 0, some, all) }
      scan.advance(some)
      scan.columns.foreach(_.discardHead(some))
      some = scan.fill(count)
    }
    if (out.exists(_.length != count))
      throw new LanceFormatException(s"a file of a text index without the rows $from to ${from + count}")
    out
  }

  private def request(name: String): ColumnRequest = {
    val fields = reader.schema.fields
    val at = fields.indexWhere(_.name == name)
    if (at < 0) throw new LanceFormatException(s"a file of a text index has no column '$name'")
    val first = fields.iterator.take(at).map(chain(_).count(hasColumn)).sum
    val path = chain(fields(at))
    val lists = if (listsHaveColumns) path.init.indices.map(first + _).toVector else Vector.empty
    ColumnRequest(first + lists.size, Leaf(path.init, path.last), lists)
  }

  /** A field and those inside, none of which is a struct. */
  private def chain(field: Field): Vector[Field] = field.children match {
    case Vector() => Vector(field)
    case Vector(item) => field +: chain(item)
    case _ => throw new LanceFormatException(s"a file of a text index with the struct '${field.name}'")
  }

  private def hasColumn(field: Field): Boolean = listsHaveColumns || field.children.isEmpty

  private def listsHaveColumns: Boolean = reader.version match {
    case FileVersion.V0_1 | FileVersion.V2_0 => true
    case FileVersion.V2_1 | FileVersion.V2_2 => false
  }

  def close(): Unit = reader.close()
}

private[text] object TextFile {

  /** Rows to read at once. */
  final private val Rows = 64

  def open(store: ObjectStore, files: SegmentFiles, name: String): TextFile =
    new TextFile(FileReader.open(store, StorePath.join(files.directory, name), files.sizes.get(name)))

  def ints(column: Column): Array[Int] = column.values match {
    case block: Fixed32Block => java.util.Arrays.copyOf(block.values, block.length)
    case other => throw wrong(other)
  }

  def int(column: Column, row: Int): Int = column.values match {
    case block: Fixed32Block => block.values(row)
    case other => throw wrong(other)
  }

  def longs(column: Column): Array[Long] = column.values match {
    case block: Fixed64Block => java.util.Arrays.copyOf(block.values, block.length)
    case other => throw wrong(other)
  }

  def byteStrings(block: DataBlock): VariableBlock = block match {
    case block: VariableBlock => block
    case other => throw wrong(other)
  }

  def lists(block: DataBlock): ListBlock = block match {
    case block: ListBlock => block
    case other => throw wrong(other)
  }

  def slice(block: VariableBlock, row: Int): Slice =
    Slice(block.bytes, block.offsets(row), block.offsets(row + 1) - block.offsets(row))

  private def wrong(block: DataBlock) = new LanceFormatException(
    s"a file of a text index has a column of another type: ${block.getClass.getSimpleName}"
  )
}
