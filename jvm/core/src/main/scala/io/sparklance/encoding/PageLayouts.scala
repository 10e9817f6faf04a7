package io.sparklance.encoding

import io.sparklance.data.{ByteRange, FileVersion, ValueShape}
import io.sparklance.encoding.structural.{ConstantPage, FullZip, MiniBlockReader}
import io.sparklance.proto.encodings.PageLayout
import io.sparklance.proto.encodings.PageLayout.Layout
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** From the message that describes a page to its decoder. */
object PageLayouts {

  /** @param buffers where the page's buffers are, in the order of its metadata
    * @param rows what the page's metadata says of its length
    */
  def decoder(
      layout: PageLayout,
      buffers: Vector[ByteRange],
      rows: Long,
      shape: ValueShape,
      version: FileVersion
  ): PageDecoder = layout.layout match {
    case Layout.MiniBlockLayout(miniBlock) =>
      MiniBlockReader.decoder(miniBlock, buffers, rows, shape, version)
    case Layout.ConstantLayout(constant) => ConstantPage.decoder(constant, buffers, rows, shape)
    case Layout.FullZipLayout(fullZip) => FullZip.decoder(fullZip, buffers, rows, shape)
    case _: Layout.BlobLayout => throw new UnsupportedLanceFeatureException("the blob layout")
    case Layout.Empty =>
      throw new LanceFormatException("a page's layout is missing, or of a kind unknown to this version")
  }
}
