package io.sparklance.file

import io.sparklance.data.{FileVersion, Slice}
import io.sparklance.io.ReadableFile
import io.sparklance.schema.LanceSchema
import io.sparklance.{LanceFormatException, Location}

/** An open file's own description, in one of the two kinds of containers. */
private[file] trait FileContents {
  def version: FileVersion
  def numRows: Long

  /** The columns as they were called when the file was written. */
  def schema: LanceSchema

  /** Returns the column of a field: see [[FileReader.column]]. */
  def column(number: Int, first: Option[Int]): Int

  /** Reads the metadata of columns, for later calls of [[columns]]. */
  def load(requests: Vector[ColumnRequest]): Unit

  /** Returns for each request the columns that it is read from: those of the lists around it, if they have
    * any, outermost first, then its own.
    *
    * @param bytes
    *   reads what columns have besides their pages
    */
  def columns(requests: Vector[ColumnRequest], bytes: ScanBytes): Vector[Vector[ColumnMetadata]]

  /** The buffers of a column as a whole, if there are any and together they have at most `maxBytes`. */
  def columnBuffers(request: ColumnRequest, maxBytes: Long): Vector[Slice]

  /** Reads the global buffers to be cached, unless together they have more than `maxBytes`. */
  def loadGlobals(maxBytes: Long): Unit

  /** Returns a global buffer of at most `maxBytes`, by its number. */
  def globalBuffer(number: Int, maxBytes: Long): Slice
}

private[file] object FileContents {
  def open(file: ReadableFile, tail: FileTail): FileContents =
    if (LegacyFooter.isAt(tail)) new LegacyContents(file, tail, LegacyFooter.parse(tail))
    else {
      val footer = Footer.parse(tail.last(Footer.Size), file.size)
      new CurrentContents(file, tail.reaching(footer.columnMetadata), footer)
    }

  def location(file: ReadableFile, request: Option[ColumnRequest]): Location =
    Location(file = Some(file.path), column = request.map(_.leaf.name))

  def locating[A](file: ReadableFile, request: Option[ColumnRequest])(body: => A): A =
    LanceFormatException.locating(location(file, request))(body)
}
