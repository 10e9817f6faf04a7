package io.sparklance.dataset.blob

import java.nio.charset.StandardCharsets.UTF_8

import io.sparklance.LanceUsageException
import io.sparklance.data.{Column, Fixed32Block, Fixed64Block, Fixed8Block, StructBlock, VariableBlock}
import io.sparklance.file.FileWriter
import io.sparklance.schema.{BlobVersion, Field}

/** Stores the bytes of a column's blobs, and appends their descriptors to the column. */
sealed abstract private[sparklance] class BlobWriter {

  /** Appends a valid blob. The caller appends the null flag. */
  def append(bytes: Array[Byte]): Unit

  /** Appends a reference to an external blob. */
  private[dataset] def refer(blob: ExternalBlob): Unit
}

private[dataset] object BlobWriter {

  def of(field: Field, column: Column, file: FileWriter, beside: BlobSideFiles): BlobWriter =
    (field.blobVersion, column.values) match {
      case (Some(BlobVersion.V1), block: StructBlock) => new BlobWriterV1(block, file)
      case (Some(BlobVersion.V2), block: StructBlock) =>
        new BlobWriterV2(block, file, beside, BlobSizes.of(field))
      case (version, block) => throw new IllegalArgumentException(s"blobs of $version in a ${block.getClass}")
    }
}

/** Stores blobs in the data file; empty ones take no bytes. */
final private class BlobWriterV1(block: StructBlock, file: FileWriter) extends BlobWriter {
  def append(bytes: Array[Byte]): Unit = {
    val position = if (bytes.isEmpty) 0L else file.writeBlob(bytes)
    block.children.map(_.values) match {
      case Vector(positions: Fixed64Block, sizes: Fixed64Block) =>
        positions.append(position)
        sizes.append(bytes.length.toLong)
      case other => throw new IllegalStateException(s"descriptors of blobs in $other")
    }
    block.children.foreach(_.nulls.appendValid(1))
    block.advance(1)
  }

  private[dataset] def refer(blob: ExternalBlob): Unit =
    throw new IllegalStateException("blobs of version 1 are in their file")
}

/** Stores small blobs in the data file, others in files beside it, shared or dedicated: [[BlobPlaces]]. */
final private class BlobWriterV2(
    block: StructBlock,
    file: FileWriter,
    beside: BlobSideFiles,
    sizes: BlobSizes
) extends BlobWriter {
  def append(bytes: Array[Byte]): Unit =
    if (bytes.length > sizes.dedicated) describe(2, 0, bytes.length.toLong, beside.dedicated(bytes))
    else if (bytes.length > sizes.inline) {
      val (id, position) = beside.packed(bytes, sizes.pack)
      describe(1, position, bytes.length.toLong, id)
    } else describe(0, if (bytes.isEmpty) 0 else file.writeBlob(bytes), bytes.length.toLong, 0)

  private[dataset] def refer(blob: ExternalBlob): Unit =
    describe(BlobPlaces.External, blob.position, blob.size, blob.base, blob.uri)

  private def describe(kind: Byte, position: Long, size: Long, id: Int, uri: String = ""): Unit = {
    block.children.map(_.values) match {
      case Vector(
            kinds: Fixed8Block,
            positions: Fixed64Block,
            lengths: Fixed64Block,
            ids: Fixed32Block,
            uris: VariableBlock
          ) =>
        kinds.append(kind)
        positions.append(position)
        lengths.append(size)
        ids.append(id)
        val text = uri.getBytes(UTF_8)
        uris.append(text, 0, text.length)
      case other => throw new IllegalStateException(s"descriptors of blobs in $other")
    }
    block.children.foreach(_.nulls.appendValid(1))
    block.advance(1)
  }
}

/** Size limits that decide where a blob is stored, from the column's metadata or pylance 14.0.2's defaults.
  *
  * @param inline
  *   largest blob in the data file
  * @param dedicated
  *   size above which a blob has a file of its own
  * @param pack
  *   largest shared file
  */
final private case class BlobSizes(inline: Long, dedicated: Long, pack: Long)

private object BlobSizes {
  def of(field: Field): BlobSizes = BlobSizes(
    read(field, "inline", least = 0).getOrElse(64L << 10),
    read(field, "dedicated", least = 1).getOrElse(4L << 20),
    read(field, "pack-file", least = 1).getOrElse(1L << 30)
  )

  private def read(field: Field, what: String, least: Long): Option[Long] = {
    val key = s"lance-encoding:blob-$what-size-threshold"
    field.metadata.get(key).map { text =>
      text.trim.toLongOption.filter(_ >= least).getOrElse(
        throw new LanceUsageException(
          s"The metadata of column '${field.name}' have $key = '$text', but it must be a number of bytes, $least or more. " +
            "Correct it, or leave it out."
        )
      )
    }
  }
}
