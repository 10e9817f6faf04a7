package io.sparklance.file

import com.google.protobuf.ByteString
import com.google.protobuf.any.{Any => AnyMessage}
import com.google.protobuf.empty.Empty

import io.sparklance.data.{ByteRange, FileVersion, Slice}
import io.sparklance.encoding.pages.PageDescription
import io.sparklance.proto.encodings.PageLayout
import io.sparklance.proto.encodings20.{ArrayEncoding, Blob, ColumnEncoding}
import io.sparklance.proto.file2.ColumnMetadata.{Page => PageMessage}
import io.sparklance.proto.file2.{ColumnMetadata => ColumnMessage, DirectEncoding, Encoding}
import io.sparklance.{LanceFormatException, Location, ProtoBytes, UnsupportedLanceFeatureException}

import scalapb.{GeneratedMessage, GeneratedMessageCompanion}

/** A page: where its buffers are, and how to read them.
  *
  * @param firstRow
  *   the row of the file at which it starts
  */
final private[sparklance] case class PageMetadata(
    buffers: Vector[ByteRange],
    firstRow: Long,
    rows: Long,
    description: PageDescription
) {
  def endRow: Long = firstRow + rows
}

/** Metadata of a column: its pages and buffers.
  *
  * @param pages
  *   in row order
  * @param buffers
  *   of the column as a whole: none but what [[FileWriter.writeColumnBuffer]] wrote, as far as is known
  */
final private[sparklance] case class ColumnMetadata(
    pages: Vector[PageMetadata],
    buffers: Vector[ByteRange] = Vector.empty
) {
  def rows: Long = pages.lastOption.fold(0L)(_.endRow)
}

/** The message `lance.file.v2.ColumnMetadata`. Descriptions of encodings are in it as a serialized `Any`,
  * whose type URL `/<message name>` may have a host in front.
  */
private[sparklance] object ColumnMetadata {
  private val ArrayEncodingName = "lance.encodings.ArrayEncoding"
  private val PageLayoutName = "lance.encodings21.PageLayout"
  private val ColumnEncodingName = "lance.encodings.ColumnEncoding"

  /** Buffers start at multiples of this since 2.1; other readers insist on it. */
  final val Alignment = 64

  def parse(bytes: Slice, fileSize: Long, version: FileVersion): ColumnMetadata = {
    val message = ProtoBytes.parse(ColumnMessage, bytes.toArray, "the column metadata")
    val kind = kindOf(message, version)
    val pages = Vector.newBuilder[PageMetadata]
    var firstRow = 0L
    message.pages.iterator.zipWithIndex.foreach { case (page, index) =>
      LanceFormatException.locating(Location(page = Some(index))) {
        pages += parsePage(page, firstRow, fileSize, version, kind)
        firstRow += page.length
      }
    }
    ColumnMetadata(
      pages.result(),
      buffersOf(message.bufferOffsets, message.bufferSizes, fileSize, "a column buffer")
    )
  }

  def print(column: ColumnMetadata): Array[Byte] = ColumnMessage(
    encoding = Some(direct(ColumnEncodingName, encodingOf(column))),
    pages = column.pages.map { page =>
      PageMessage(
        bufferOffsets = page.buffers.map(_.offset),
        bufferSizes = page.buffers.map(_.length),
        length = page.rows,
        encoding = Some(print(page.description)),
        priority = priority(page)
      )
    },
    bufferOffsets = column.buffers.map(_.offset),
    bufferSizes = column.buffers.map(_.length)
  ).toByteArray

  /** Returns a page's priority among pages of other columns; before 2.1 none is recorded. */
  private def priority(page: PageMetadata): Long = page.description match {
    case PageDescription.Structure(_) => page.firstRow
    case PageDescription.Batch(_) | PageDescription.Array(_) | PageDescription.Blobs(_) => 0
  }

  private def encodingOf(column: ColumnMetadata): ColumnEncoding = {
    val values = ColumnEncoding().withValues(Empty())
    column.pages.headOption.map(_.description) match {
      case Some(PageDescription.Blobs(_)) => ColumnEncoding().withBlob(Blob(Some(values)))
      case Some(PageDescription.Batch(_) | PageDescription.Array(_) | PageDescription.Structure(_)) | None =>
        values
    }
  }

  private def print(description: PageDescription): Encoding = description match {
    case PageDescription.Batch(_) =>
      throw new IllegalStateException("pages of version 0.1 are not written")
    case PageDescription.Array(encoding) => direct(ArrayEncodingName, encoding)
    case PageDescription.Blobs(encoding) => direct(ArrayEncodingName, encoding)
    case PageDescription.Structure(layout) => direct(PageLayoutName, layout)
  }

  /** Content of a column's pages. */
  sealed private trait Kind
  private case object Values extends Kind
  private case object Blobs extends Kind

  private def kindOf(message: ColumnMessage, version: FileVersion): Kind = {
    val encoding = unpack(message.encoding, ColumnEncoding, ColumnEncodingName, "column")
    encoding.columnEncoding match {
      case _: ColumnEncoding.ColumnEncoding.Values => Values
      case ColumnEncoding.ColumnEncoding.Blob(blob)
          if version == FileVersion.V2_0 && blob.getInner.columnEncoding.isValues =>
        Blobs
      case _: ColumnEncoding.ColumnEncoding.ZoneIndex =>
        throw new UnsupportedLanceFeatureException("a zone index column")
      case _: ColumnEncoding.ColumnEncoding.Blob =>
        throw new UnsupportedLanceFeatureException("a blob column other than those of 2.0 files")
      case ColumnEncoding.ColumnEncoding.Empty =>
        throw new LanceFormatException(
          "the column's encoding is missing, or of a kind unknown to this version"
        )
    }
  }

  private def parsePage(
      page: PageMessage,
      firstRow: Long,
      fileSize: Long,
      version: FileVersion,
      kind: Kind
  ): PageMetadata = {
    if (page.length < 0 || page.length > Long.MaxValue - firstRow)
      throw new LanceFormatException(s"a page of ${java.lang.Long.toUnsignedString(page.length)} rows")
    val buffers = buffersOf(page.bufferOffsets, page.bufferSizes, fileSize, "a page buffer")
    if (version != FileVersion.V2_0) buffers.find(_.offset % Alignment != 0).foreach { buffer =>
      throw new LanceFormatException(s"a buffer starts at ${buffer.offset}, no multiple of $Alignment")
    }
    PageMetadata(buffers, firstRow, page.length, describe(page.encoding, version, kind))
  }

  private def buffersOf(
      offsets: Seq[Long],
      sizes: Seq[Long],
      fileSize: Long,
      what: String
  ): Vector[ByteRange] = {
    if (offsets.size != sizes.size)
      throw new LanceFormatException(s"${offsets.size} buffer offsets but ${sizes.size} sizes")
    offsets.iterator.zip(sizes).map { case (offset, size) =>
      FileRanges.checked(offset, size, fileSize, what)
    }.toVector
  }

  private def describe(encoding: Option[Encoding], version: FileVersion, kind: Kind): PageDescription =
    version match {
      case FileVersion.V0_1 | FileVersion.V2_0 =>
        val array = unpack(encoding, ArrayEncoding, ArrayEncodingName, "page")
        kind match {
          case Values => PageDescription.Array(array)
          case Blobs => PageDescription.Blobs(array)
        }
      case FileVersion.V2_1 | FileVersion.V2_2 =>
        PageDescription.Structure(unpack(encoding, PageLayout, PageLayoutName, "page"))
    }

  private def direct(name: String, message: GeneratedMessage): Encoding =
    Encoding().withDirect(DirectEncoding(AnyMessage(s"/$name", message.toByteString).toByteString))

  private def unpack[A <: GeneratedMessage](
      encoding: Option[Encoding],
      companion: GeneratedMessageCompanion[A],
      name: String,
      what: String
  ): A = {
    val any = ProtoBytes.parse(AnyMessage, directBytes(encoding, what).toByteArray, s"the $what encoding")
    if (any.typeUrl.drop(any.typeUrl.lastIndexOf('/') + 1) != name)
      throw new UnsupportedLanceFeatureException(s"the $what encoding \"${any.typeUrl.take(200)}\"")
    ProtoBytes.parse(companion, any.value.toByteArray, s"the $what encoding")
  }

  private def directBytes(encoding: Option[Encoding], what: String): ByteString =
    encoding.map(_.location) match {
      case Some(Encoding.Location.Direct(direct)) => direct.encoding
      case Some(_: Encoding.Location.Indirect) =>
        throw new UnsupportedLanceFeatureException(s"a deferred $what encoding")
      case Some(_: Encoding.Location.None) | Some(Encoding.Location.Empty) | None =>
        throw new LanceFormatException(s"the $what encoding is missing")
    }
}
