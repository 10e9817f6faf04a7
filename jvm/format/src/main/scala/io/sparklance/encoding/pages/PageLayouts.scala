package io.sparklance.encoding.pages

import io.sparklance.LanceFormatException
import io.sparklance.data.{ByteRange, FileVersion, RowRanges, ValueShape}
import io.sparklance.encoding.structural.{ConstantPage, FullZip, MiniBlockReader}
import io.sparklance.encoding.v01.BatchEncoding
import io.sparklance.encoding.v20.ArrayEncodings
import io.sparklance.encoding.{BlobPage, DictionaryNumbers, Layers, PageDecoder}
import io.sparklance.proto.encodings.PageLayout
import io.sparklance.proto.encodings.PageLayout.Layout
import io.sparklance.proto.encodings20.ArrayEncoding

/** A page's description of its encoding. */
sealed private[sparklance] trait PageDescription

private[sparklance] object PageDescription {

  /** A page of version 0.1, which has no message. */
  final case class Batch(encoding: BatchEncoding) extends PageDescription

  /** A page of version 2.0. */
  final case class Array(encoding: ArrayEncoding) extends PageDescription

  /** A page of a blob column in version 2.0. */
  final case class Blobs(encoding: ArrayEncoding) extends PageDescription

  /** Since 2.1. */
  final case class Structure(layout: PageLayout) extends PageDescription
}

/** From what describes a page to its decoder. */
private[sparklance] object PageLayouts {

  /** @param wanted
    *   the only rows of the page that will be asked for
    * @param numbers
    *   what those of dictionaries mean, in files of version 2.0
    */
  def decoder(
      description: PageDescription,
      buffers: Vector[ByteRange],
      rows: Long,
      wanted: RowRanges,
      shape: ValueShape,
      numbers: DictionaryNumbers,
      version: FileVersion
  ): PageDecoder = description match {
    case PageDescription.Batch(encoding) =>
      BatchEncoding.decoder(encoding, buffers, rows, wanted.hull, shape)
    case PageDescription.Array(encoding) =>
      ArrayEncodings.decoder(encoding, buffers, rows, wanted.hull, shape, numbers)
    case PageDescription.Blobs(encoding) =>
      BlobPage.checkShape(shape)
      BlobPage.array(ArrayEncodings.decoder(encoding, buffers, rows, wanted.hull, shape, numbers))
    case PageDescription.Structure(layout) => decoder(layout, buffers, rows, wanted, shape, version)
  }

  /** @param buffers
    *   where the page's buffers are, in the order of its metadata
    * @param rows
    *   what the page's metadata says of its length
    * @param wanted
    *   the only rows of the page that will be asked for
    */
  def decoder(
      layout: PageLayout,
      buffers: Vector[ByteRange],
      rows: Long,
      wanted: RowRanges,
      shape: ValueShape,
      version: FileVersion
  ): PageDecoder = layout.layout match {
    case Layout.MiniBlockLayout(miniBlock) =>
      MiniBlockReader.decoder(miniBlock, buffers, rows, shape, version)
    case Layout.ConstantLayout(constant) => ConstantPage.decoder(constant, buffers, rows, shape)
    case Layout.FullZipLayout(fullZip) => FullZip.decoder(fullZip, buffers, rows, wanted, shape)
    case Layout.BlobLayout(blob) =>
      BlobPage.checkShape(shape)
      val inner = blob.getInnerLayout
      if (inner.layout.isBlobLayout) throw new LanceFormatException("a blob layout within another")
      BlobPage.decoder(decoder(inner, buffers, rows, wanted, shape, version), Layers.parse(blob.layers))
    case Layout.Empty =>
      throw new LanceFormatException("a page's layout is missing, or of a kind unknown to this version")
  }
}
