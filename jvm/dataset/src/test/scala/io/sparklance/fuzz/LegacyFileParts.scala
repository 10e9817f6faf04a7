package io.sparklance.fuzz

import io.sparklance.proto.file.Metadata

/** A data file of version 0.1, in the form of LegacyContents. Message 0 is the metadata, message 1 the
  * schema.
  */
final class LegacyFileParts(file: Array[Byte]) extends Container {
  private val footer = file.length - 16
  private val metadataAt = Numbers.read(file, footer, 8).toInt
  private val metadata = Metadata.parseFrom(sized(metadataAt))

  def names: Vector[String] = Vector("metadata", "schema")

  def message(index: Int): Array[Byte] =
    if (index == 0) sized(metadataAt) else sized(metadata.manifestPosition.toInt)

  /** Replaced parts are appended after the old ones. */
  def replaced(index: Int, message: Array[Byte]): Array[Byte] =
    if (index == 0) ended(file.take(footer), message)
    else {
      val before = file.take(footer) ++ prefixed(message)
      ended(before, metadata.copy(manifestPosition = footer.toLong).toByteArray)
    }

  /** The page table, and the page of each of its entries as far as it reaches at least. */
  override lazy val buffers: Vector[(Int, Int)] = {
    val table = metadata.pageTablePosition.toInt
    val batches = metadata.batchOffsets.size - 1
    val pages = (table until table + 64 * batches by 16).flatMap { entry =>
      val (position, length) = (Numbers.read(file, entry, 8), Numbers.read(file, entry + 8, 8))
      Option.when(length > 0 && position >= 0 && position + length <= table)((position.toInt, length.toInt))
    }
    (table, 16 * batches) +: pages.toVector
  }

  private def sized(at: Int): Array[Byte] = file.slice(at + 4, at + 4 + Numbers.read(file, at, 4).toInt)

  private def prefixed(message: Array[Byte]): Array[Byte] = word(4, message.length) ++ message

  private def word(size: Int, value: Int): Array[Byte] =
    Numbers.written(new Array[Byte](size), 0, size, value.toLong)

  private def ended(before: Array[Byte], metadata: Array[Byte]): Array[Byte] =
    before ++ prefixed(metadata) ++ word(8, before.length) ++ file.takeRight(8)
}

object LegacyFileParts {
  def isOne(file: Array[Byte]): Boolean =
    Numbers.read(file, file.length - 8, 2) == 0 && Numbers.read(file, file.length - 6, 2) < 3
}
