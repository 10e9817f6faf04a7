package io.sparklance.file

import io.sparklance.proto.encodings.CompressiveEncoding.Compression
import io.sparklance.proto.encodings.PageLayout.Layout
import io.sparklance.proto.encodings.{CompressiveEncoding, PageLayout}

/** Family of a page's encoding, for metrics. */
sealed private[sparklance] trait PageFamily

private[sparklance] object PageFamily {

  /** One value, or nulls only. */
  case object Constant extends PageFamily
  case object Dictionary extends PageFamily
  case object BitPacked extends PageFamily
  case object Runs extends PageFamily

  /** FSST. */
  case object Symbols extends PageFamily

  /** Pages compressed by LZ4 or zstd, over any encoding. */
  case object Compressed extends PageFamily
  case object PackedStructs extends PageFamily
  case object Plain extends PageFamily

  def of(layout: PageLayout): PageFamily = layout.layout match {
    case Layout.ConstantLayout(_) => Constant
    case Layout.MiniBlockLayout(chunks) if chunks.dictionary.isDefined => Dictionary
    case Layout.MiniBlockLayout(chunks) => of(chunks.getValueCompression)
    case Layout.FullZipLayout(values) => of(values.getValueCompression)
    case Layout.BlobLayout(blobs) => of(blobs.getInnerLayout)
    case Layout.Empty => throw new IllegalStateException("a page without a layout")
  }

  private def of(encoding: CompressiveEncoding): PageFamily = encoding.compression match {
    case Compression.Flat(_) | Compression.Variable(_) | Compression.ByteStreamSplit(_) => Plain
    case Compression.Constant(_) => Constant
    case Compression.InlineBitpacking(_) | Compression.OutOfLineBitpacking(_) => BitPacked
    case Compression.Fsst(_) => Symbols
    case Compression.Dictionary(_) => Dictionary
    case Compression.Rle(_) => Runs
    case Compression.General(_) => Compressed
    case Compression.FixedSizeList(list) => of(list.getValues)
    case Compression.PackedStruct(_) | Compression.VariablePackedStruct(_) => PackedStructs
    case Compression.Empty => throw new IllegalStateException("values without an encoding")
  }
}
