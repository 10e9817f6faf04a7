package io.sparklance.index.vector

import io.sparklance.data.{
  BlockRange,
  Column,
  ColumnCopy,
  DataBlock,
  FileVersion,
  ListBlock,
  RowRange,
  RowRanges
}
import io.sparklance.file.{ColumnRequest, FileReader, FileScan}
import io.sparklance.proto.index.IVF
import io.sparklance.schema.{Field, Leaf}
import io.sparklance.{LanceFormatException, ProtoBytes}

/** Reads parts of index files. */
private[vector] object IndexFileParts {
  final val MaxBufferBytes: Long = 512L << 20

  /** Returns rows of some columns. */
  def rows(file: FileReader, fields: Vector[Field], start: Long, length: Int): Vector[Column] = {
    val scan = file.scan(fields.map(request(file, _)), RowRange(start, start + length), file.numRows)
    next(scan, length)
  }

  /** Returns stretches of rows of some columns, which are requested together.
    *
    * @param wanted
    *   not empty, disjoint
    */
  def stretches[A](file: FileReader, fields: Vector[Field], wanted: Vector[RowRange])(
      use: (Int, Vector[Column]) => A
  ): Vector[A] = {
    val order = wanted.indices.toVector.sortBy(wanted(_).start)
    val scan = file.scan(fields.map(request(file, _)), RowRanges.of(wanted), file.numRows)
    order.map(i => i -> use(i, next(scan, wanted(i).length.toInt))).sortBy(_._1).map(_._2)
  }

  private def next(scan: FileScan, length: Int): Vector[Column] = {
    val out = scan.columns.map(c => new Column(empty(c.values)))
    var left = length
    var count = scan.fill(left)
    while (count > 0) {
      scan.columns.zip(out).foreach { case (from, to) => ColumnCopy.append(from, 0, count, to) }
      scan.advance(count)
      scan.columns.foreach(_.discardHead(count))
      left -= count
      count = if (left == 0) 0 else scan.fill(left)
    }
    if (out.exists(_.length != length))
      throw new LanceFormatException(s"a partition without its $length rows")
    out
  }

  private def empty(like: DataBlock): DataBlock = like match {
    case lists: ListBlock => new ListBlock(new Column(empty(lists.items.values)))
    case other => BlockRange.copy(other, 0, 0)
  }

  /** Asks for a column that may be a list. */
  private def request(file: FileReader, field: Field): ColumnRequest = {
    val before = file.schema.fields.takeWhile(_.name != field.name)
    val first = before.map(chain(_).count(hasColumn(file, _))).sum
    val path = chain(field)
    val lists = path.init.filter(hasColumn(file, _)).indices.map(first + _).toVector
    ColumnRequest(first + lists.size, Leaf(path.init, path.last), lists)
  }

  /** A field and those inside. */
  private def chain(field: Field): Vector[Field] = field.children match {
    case Vector() => Vector(field)
    case Vector(item) => field +: chain(item)
    case _ => throw new LanceFormatException(s"the file of a vector index with the struct '${field.name}'")
  }

  /** Whether a field has a column of its own: lists have one before version 2.1. */
  private def hasColumn(file: FileReader, field: Field): Boolean = file.version match {
    case FileVersion.V0_1 | FileVersion.V2_0 => true
    case FileVersion.V2_1 | FileVersion.V2_2 => field.children.isEmpty
  }

  /** Returns the message of the partitions. */
  def ivf(file: FileReader): IVF = {
    val number = value(file, "lance:ivf")
    val buffer = file.globalBuffer(
      number.toIntOption.getOrElse(throw new LanceFormatException(s"a global buffer of number '$number'")),
      MaxBufferBytes
    )
    ProtoBytes.parse(IVF, buffer.toArray, "the partitions of a vector index")
  }

  /** Returns a text of the metadata. */
  def value(file: FileReader, key: String): String =
    file.schema.metadata.getOrElse(
      key,
      throw new LanceFormatException(s"the file of a vector index has no '$key'")
    )

  /** Returns the column of a name. */
  def field(file: FileReader, name: String): Field =
    file.schema.fields.find(_.name == name).getOrElse(
      throw new LanceFormatException(s"the file of a vector index has no column '$name'")
    )
}
