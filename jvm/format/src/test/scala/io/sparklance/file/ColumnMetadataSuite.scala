package io.sparklance.file

import com.google.protobuf.ByteString
import com.google.protobuf.any.{Any => AnyMessage}
import com.google.protobuf.empty.Empty
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{ByteRange, FileVersion, Slice}
import io.sparklance.encoding.pages.PageDescription
import io.sparklance.proto.encodings.{ConstantLayout, PageLayout}
import io.sparklance.proto.encodings20.{ArrayEncoding, Blob, ColumnEncoding, Flat, ZoneIndex}
import io.sparklance.proto.file2.{ColumnMetadata => Message, DeferredEncoding, DirectEncoding, Encoding}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

class ColumnMetadataSuite extends AnyFunSuite {
  private val layout =
    PageDescription.Structure(PageLayout().withConstantLayout(ConstantLayout(numDefValues = 5)))
  private val column = ColumnMetadata(
    Vector(
      PageMetadata(Vector(ByteRange(0, 4), ByteRange(64, 100)), 0, 7, layout),
      PageMetadata(Vector(ByteRange(192, 0)), 7, 3, layout)
    )
  )
  private val message = Message.parseFrom(ColumnMetadata.print(column))

  private def parse(changed: Message): ColumnMetadata =
    ColumnMetadata.parse(Slice(changed.toByteArray), 1000, FileVersion.V2_2)
  private def reason(changed: Message): String = intercept[LanceFormatException](parse(changed)).getMessage
  private def feature(changed: Message): String =
    intercept[UnsupportedLanceFeatureException](parse(changed)).feature

  private def firstPage(change: Message.Page => Message.Page): Message =
    message.withPages(change(message.pages.head) +: message.pages.tail)

  private def direct(any: AnyMessage): Encoding = Encoding().withDirect(DirectEncoding(any.toByteString))
  private def columnEncoding(encoding: ColumnEncoding): Message =
    message.withEncoding(direct(AnyMessage("/lance.encodings.ColumnEncoding", encoding.toByteString)))

  test("pages survive being written and read, each starting where the one before ends") {
    assert(parse(message) == column)
    assert(column.rows == 10)
    assert(message.pages.map(_.priority) == Seq(0, 7))
  }

  test("the bytes around a page's layout are those that pylance 14.0.2 writes") {
    val any = AnyMessage.parseFrom(message.getEncoding.getDirect.encoding.newCodedInput())
    assert(any.typeUrl == "/lance.encodings.ColumnEncoding" &&
      any.value == ByteString.copyFrom(Array[Byte](10, 0)))
    val page = AnyMessage.parseFrom(message.pages.head.getEncoding.getDirect.encoding.newCodedInput())
    assert(page.typeUrl == "/lance.encodings21.PageLayout")
  }

  test("a type URL may have a host") {
    val hosted = AnyMessage("type.googleapis.com/lance.encodings21.PageLayout", layout.layout.toByteString)
    assert(parse(firstPage(_.withEncoding(direct(hosted)))) == column)
  }

  test("buffers outside of the file, or off the 64-byte grid, are bad data") {
    assert(reason(firstPage(_.withBufferOffsets(Seq(
      0L,
      960L
    )))).contains("a page buffer of 100 bytes at 960 is outside"))
    assert(reason(firstPage(_.withBufferSizes(Seq(
      4L,
      -1L
    )))).contains("is outside of the file of 1000 bytes (page 0)"))
    assert(reason(firstPage(_.withBufferSizes(Seq(4L, Long.MaxValue)))).contains("is outside"))
    assert(reason(firstPage(_.withBufferOffsets(Seq(-64L, 64L)))).contains("is outside"))
    assert(reason(firstPage(_.withBufferOffsets(Seq(
      1L,
      64L
    )))).contains("a buffer starts at 1, no multiple of 64"))
    assert(reason(firstPage(_.withBufferOffsets(Seq(0L)))).contains("1 buffer offsets but 2 sizes"))
  }

  test("pages of more rows than there can be are bad data") {
    assert(reason(firstPage(_.withLength(-1))).contains("a page of 18446744073709551615 rows"))
    assert(reason(firstPage(_.withLength(Long.MaxValue))).contains("a page of 3 rows (page 1)"))
  }

  test("deferred encodings and other kinds of columns and pages are refused by name") {
    assert(feature(firstPage(_.withEncoding(Encoding().withIndirect(DeferredEncoding(0, 9))))) ==
      "a deferred page encoding")
    assert(feature(message.withEncoding(Encoding().withIndirect(DeferredEncoding()))) ==
      "a deferred column encoding")
    assert(feature(columnEncoding(ColumnEncoding().withZoneIndex(ZoneIndex()))) == "a zone index column")
    assert(
      feature(columnEncoding(ColumnEncoding().withBlob(Blob(Some(ColumnEncoding().withValues(Empty())))))) ==
        "a blob column other than those of 2.0 files"
    )
    val planar = AnyMessage("/lance.encodings23.PlanarLayout", ByteString.EMPTY)
    assert(feature(firstPage(_.withEncoding(direct(planar)))) ==
      "the page encoding \"/lance.encodings23.PlanarLayout\"")
  }

  test("pages of a 2.0 file are arrays, whose buffers may start anywhere") {
    val array = PageDescription.Array(ArrayEncoding().withFlat(Flat(bitsPerValue = 32)))
    val old = ColumnMetadata(Vector(PageMetadata(Vector(ByteRange(3, 28)), 0, 7, array)))
    def read(version: FileVersion) = ColumnMetadata.parse(Slice(ColumnMetadata.print(old)), 1000, version)
    assert(read(FileVersion.V2_0) == old)
    assert(intercept[LanceFormatException](read(FileVersion.V2_1)).reason.contains("no multiple of 64"))
  }

  test("a column of blobs of a 2.0 file is one whose encoding says so") {
    val blobs = PageDescription.Blobs(ArrayEncoding().withFlat(Flat(bitsPerValue = 64)))
    val column = ColumnMetadata(Vector(PageMetadata(Vector(ByteRange(3, 28)), 0, 7, blobs)))
    assert(ColumnMetadata.parse(Slice(ColumnMetadata.print(column)), 1000, FileVersion.V2_0) == column)
  }

  test("a page of another version than its file is refused") {
    def read(description: PageDescription, version: FileVersion) = {
      val one = ColumnMetadata(Vector(PageMetadata(Vector.empty, 0, 7, description)))
      val bytes = Slice(ColumnMetadata.print(one))
      intercept[UnsupportedLanceFeatureException](ColumnMetadata.parse(bytes, 1000, version)).feature
    }
    assert(read(layout, FileVersion.V2_0) == "the page encoding \"/lance.encodings21.PageLayout\"")
    assert(read(PageDescription.Array(ArrayEncoding()), FileVersion.V2_2) ==
      "the page encoding \"/lance.encodings.ArrayEncoding\"")
  }

  test("missing encodings are bad data") {
    assert(reason(message.clearEncoding) == "the column encoding is missing")
    assert(reason(message.withEncoding(Encoding().withNone(Empty()))) == "the column encoding is missing")
    assert(reason(
      columnEncoding(ColumnEncoding())
    ).startsWith("the column's encoding is missing, or of a kind unknown"))
    assert(reason(firstPage(_.clearEncoding)) == "the page encoding is missing (page 0)")
  }

  test("bytes that are not a message are bad data, and so are messages nested without end") {
    val garbage = Slice(Array.fill[Byte](100)(-1))
    assert(intercept[LanceFormatException](ColumnMetadata.parse(
      garbage,
      1000,
      FileVersion.V2_2
    )).reason.contains("is not a valid message"))
    // BlobLayout { inner_layout } in PageLayout { blob_layout } and so on; lengths are written backwards.
    val nested =
      Iterator.iterate(ByteString.EMPTY)(inner => field(0x22, field(0x0a, inner))).drop(20000).next()
    val deep = AnyMessage("/lance.encodings21.PageLayout", nested)
    assert(reason(firstPage(_.withEncoding(direct(deep)))) == "the page encoding is nested too deep (page 0)")
  }

  private def field(tag: Int, content: ByteString): ByteString = {
    val size = Iterator.iterate(content.size)(_ >>> 7).takeWhile(_ != 0).toVector match {
      case Vector() => Vector(0)
      case groups => groups
    }
    val varint = size.zipWithIndex.map { case (g, i) =>
      (g & 0x7f | (if (i < size.size - 1) 0x80 else 0)).toByte
    }
    ByteString.copyFrom(tag.toByte +: varint.toArray).concat(content)
  }
}
