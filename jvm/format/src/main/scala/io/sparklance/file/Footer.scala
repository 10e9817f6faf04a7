package io.sparklance.file

import io.sparklance.data.{ByteRange, FileVersion, LittleEndian, Slice}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** The last 40 bytes of a data file. Positions count from the file's start.
  *
  * {{{
  *  0  u64  first column's metadata          24  u32  number of global buffers
  *  8  u64  column metadata offset table     28  u32  number of columns
  * 16  u64  global buffer offset table       32  u16  major version, u16 minor version
  *                                           36  "LANC"
  * }}}
  * Both tables hold a (u64 position, u64 size) pair for each entry. The column metadata, the tables and the
  * footer stand in this order; global buffer 0, the schema, stands before them.
  */
final private[sparklance] case class Footer(
    columnMetadata: Long,
    columnTable: Long,
    globalTable: Long,
    globalBuffers: Int,
    columns: Int,
    version: FileVersion
) {

  /** Range of the table entry with position and size of a column's metadata. */
  def columnEntry(index: Int): ByteRange = {
    if (index < 0 || index >= columns)
      throw new LanceFormatException(s"column $index wanted of a file of $columns columns")
    ByteRange(columnTable + Footer.EntrySize * index.toLong, Footer.EntrySize.toLong)
  }

  /** Range of the table entry with position and size of the schema. */
  def schemaEntry: ByteRange = globalEntry(0)

  /** Range of the table entry with position and size of a global buffer. */
  def globalEntry(number: Int): ByteRange = {
    if (number < 0 || number >= globalBuffers)
      throw new LanceFormatException(s"global buffer $number wanted of a file of $globalBuffers")
    ByteRange(globalTable + Footer.EntrySize * number.toLong, Footer.EntrySize.toLong)
  }

  def print: Array[Byte] = {
    val bytes = new Array[Byte](Footer.Size)
    LittleEndian.putLong(bytes, 0, columnMetadata)
    LittleEndian.putLong(bytes, 8, columnTable)
    LittleEndian.putLong(bytes, 16, globalTable)
    LittleEndian.putInt(bytes, 24, globalBuffers)
    LittleEndian.putInt(bytes, 28, columns)
    val (major, minor) = Footer.numbers(version)
    LittleEndian.putShort(bytes, 32, major.toShort)
    LittleEndian.putShort(bytes, 34, minor.toShort)
    LittleEndian.putInt(bytes, 36, Footer.Magic)
    bytes
  }
}

private[sparklance] object Footer {
  final val Size = 40
  final val EntrySize = 16
  private[file] val Magic = 0x434e414c

  /** @param bytes the last [[Size]] of a file of `fileSize` bytes */
  def parse(bytes: Slice, fileSize: Long): Footer = {
    if (bytes.int(36) != Magic)
      throw new LanceFormatException(
        "the file does not end with LANC: it is not a Lance data file, or is truncated"
      )
    val footer = Footer(
      bytes.long(0),
      bytes.long(8),
      bytes.long(16),
      bytes.int(24),
      bytes.int(28),
      version(bytes.unsignedShort(32), bytes.unsignedShort(34))
    )
    check(footer, fileSize)
    footer
  }

  /** Files of version 2.0 mostly call themselves 0.3, and legacy files have 0.0 to 0.2. */
  private def version(major: Int, minor: Int): FileVersion = (major, minor) match {
    case (0, 0 | 1 | 2) =>
      throw new LanceFormatException("a footer of version 0.1 where one of 2.x is expected")
    case (0, 3) => FileVersion.V2_0
    case _ =>
      FileVersion
        .of(major, minor)
        .getOrElse(throw new UnsupportedLanceFeatureException(s"file version $major.$minor"))
  }

  private def numbers(version: FileVersion): (Int, Int) = version match {
    case FileVersion.V2_0 => (0, 3)
    case FileVersion.V0_1 | FileVersion.V2_1 | FileVersion.V2_2 => (version.major, version.minor)
  }

  private def check(footer: Footer, fileSize: Long): Unit = {
    import footer._
    val end = fileSize - Size
    val ordered = 0 <= columnMetadata && columnMetadata <= columnTable && columnTable <= globalTable &&
      globalTable <= end
    if (!ordered || columns < 0 || globalBuffers < 1)
      throw new LanceFormatException(
        s"the footer of a file of $fileSize bytes is inconsistent: column metadata at $columnMetadata, " +
          s"tables at $columnTable ($columns columns) and $globalTable ($globalBuffers global buffers)"
      )
    if (
      columns.toLong * EntrySize > globalTable - columnTable ||
      globalBuffers.toLong * EntrySize > end - globalTable
    )
      throw new LanceFormatException(
        s"the footer claims $columns columns and $globalBuffers global buffers, more than its tables have room for"
      )
  }
}
