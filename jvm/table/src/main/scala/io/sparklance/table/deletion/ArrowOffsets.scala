package io.sparklance.table.deletion

import java.nio.charset.StandardCharsets.US_ASCII

import com.github.luben.zstd.{Zstd, ZstdException}
import org.roaringbitmap.{RoaringBitmap, RoaringBitmapWriter}

import io.sparklance.data.Slice
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** A deletion file of kind [[DeletionFileKind.ArrowArray]]: an Arrow IPC file with one record batch of one
  * column, `row_id: uint32 not null`, in any order.
  * {{{
  *   "ARROW1" 0 0 | messages | Footer | i32 its length | "ARROW1"
  *   a message: 0xffffffff (not in old files) | i32 length | Message | body
  *   a buffer of the body: plain or, if compressed, i64 uncompressed length (-1: plain after all) | data
  * }}}
  * See Arrow's format/File.fbs, Message.fbs and Schema.fbs; the numbers of fields below are from there.
  */
private[deletion] object ArrowOffsets {
  private val magic = "ARROW1".getBytes(US_ASCII)

  final private val RecordBatchHeader = 3
  final private val IntType = 2
  final private val Zstandard = 1

  /** Bounds the allocation for a crafted file. Offsets are distinct, so no real compression comes near this
    * ratio.
    */
  final private val MaxRatio = 64

  def decode(bytes: Slice, physicalRows: Long): RoaringBitmap = {
    val footer = readFooter(bytes)
    checkSchema(footer)
    val block = footer.structs(3, size = 24) match {
      case Vector(single) => single
      case several =>
        throw new LanceFormatException(s"${several.size} record batches in a deletion file, not 1")
    }
    val metadataLength = block.int(8)
    val message = readMessage(bytes.slice(block.long(0), metadataLength.toLong, "record batch"))
    val body = bytes.slice(block.long(0) + metadataLength, block.long(16), "body of the record batch")
    val batch = message
      .table(2)
      .filter(_ => message.byte(1, 0) == RecordBatchHeader)
      .getOrElse(throw new LanceFormatException("the only message of a deletion file is not a record " +
        "batch"))
    val rows = batch.long(0, 0)
    if (rows < 0 || rows > physicalRows || rows > Int.MaxValue / 4)
      throw new LanceFormatException(s"$rows rows are deleted in a fragment of $physicalRows rows")
    collect(values(batch, body, rows.toInt), rows.toInt)
  }

  private def readFooter(bytes: Slice): FlatTable = {
    val tail = magic.length + 4
    if (bytes.length < 8 + tail || !isMagic(bytes, 0) || !isMagic(bytes, bytes.length - magic.length))
      throw new LanceFormatException("not an Arrow IPC file, or a truncated one")
    val length = bytes.int(bytes.length - tail)
    FlatTable.root(bytes.slice(bytes.length.toLong - tail - length, length.toLong, "Arrow footer"))
  }

  private def isMagic(bytes: Slice, at: Int): Boolean =
    java.util.Arrays.equals(bytes.slice(at.toLong, magic.length.toLong, "magic").toArray, magic)

  private def checkSchema(footer: FlatTable): Unit = {
    val schema = footer.table(1).filter(_.short(0, 0) == 0)
    val isOffsets = schema.map(_.tables(1)).exists {
      case Vector(column) =>
        column.byte(2, 0) == IntType && column.table(3).exists(t => t.int(0, 0) == 32 && t.byte(1, 0) == 0)
      case _ => false
    }
    if (!isOffsets)
      throw new LanceFormatException(
        "the schema of a deletion file is not one column of little-endian uint32"
      )
  }

  private def readMessage(bytes: Slice): FlatTable = {
    val prefix = if (bytes.int(0) == -1) 8 else 4
    FlatTable.root(bytes.slice(prefix.toLong, bytes.unsignedInt(prefix - 4), "Arrow message"))
  }

  /** Returns the column's values, 4 bytes each. */
  private def values(batch: FlatTable, body: Slice, rows: Int): Slice = {
    if (batch.structs(1, size = 16).exists(node => node.long(0) != rows || node.long(8) != 0))
      throw new LanceFormatException(
        "the column of a deletion file has nulls or another length than its batch"
      )
    val data = batch.structs(2, size = 16) match {
      case Vector(_, buffer) => body.slice(buffer.long(0), buffer.long(8), "values")
      case several => throw new LanceFormatException(s"${several.size} buffers in a deletion file, not 2")
    }
    val plain = batch.table(3).filter(_ => data.length > 0).fold(data)(decompress(data, _, rows))
    plain.slice(0, rows * 4L, "values")
  }

  private def decompress(data: Slice, compression: FlatTable, rows: Int): Slice = {
    val codec = compression.byte(0, 0)
    if (codec != Zstandard || compression.byte(1, 0) != 0)
      throw new UnsupportedLanceFeatureException(
        if (codec == 0) "LZ4 compression of a deletion file" else s"compression $codec of a deletion file"
      )
    val compressed = data.slice(8, data.length - 8L, "compressed values")
    data.long(0) match {
      case -1 => compressed
      case size =>
        if (size < rows * 4L || size > rows * 4L + 64 || size > compressed.length.toLong * MaxRatio + 64)
          throw new LanceFormatException(s"${compressed.length} bytes claim to be $size of $rows row offsets")
        val plain = new Array[Byte](size.toInt)
        if (decompress(compressed, plain) != size)
          throw new LanceFormatException(s"not a Zstandard frame of $size bytes")
        Slice(plain)
    }
  }

  private def decompress(compressed: Slice, plain: Array[Byte]): Long = {
    import compressed.{array, length, offset}
    try Zstd.decompressByteArray(plain, 0, plain.length, array, offset, length)
    catch {
      case e: ZstdException =>
        throw new LanceFormatException(s"not a Zstandard frame of row offsets: ${e.getMessage}", cause = e)
    }
  }

  private def collect(values: Slice, rows: Int): RoaringBitmap = {
    val offsets = Array.tabulate(rows)(i => values.int(i * 4))
    val writer = RoaringBitmapWriter.writer().doPartialRadixSort().get()
    writer.addMany(offsets: _*)
    writer.get()
  }
}
