package io.sparklance.file

import io.sparklance.data.{Column, FileVersion, RowRange, RowRanges}
import io.sparklance.encoding.logical.PrimitiveField
import io.sparklance.encoding.pages.PageDescription
import io.sparklance.encoding.v01.BatchEncoding
import io.sparklance.proto.file.{Dictionary => Place}
import io.sparklance.schema.{Field, Leaf, LogicalType, LogicalTypes}
import io.sparklance.{LanceFormatException, Location, UnsupportedLanceFeatureException}

/** The values of a dictionary column of a 0.1 file, which are stored as a page is, once for all batches.
  * Empty strings among them are nulls.
  */
private[file] object LegacyDictionary {
  final private val MaxBytes = 256L << 20
  final private val Step = 4096

  def read(
      bytes: ScanBytes,
      fileSize: Long,
      field: Field,
      dictionary: LogicalType.Dictionary,
      place: Place
  ): BatchEncoding.Dictionary =
    BatchEncoding.Dictionary(
      keyBits(dictionary.index),
      values(bytes, fileSize, field, dictionary.value, place)
    )

  private def values(
      bytes: ScanBytes,
      fileSize: Long,
      field: Field,
      value: LogicalType,
      place: Place
  ): Column = {
    val of = Field(field.id, field.name, value, nullable = true)
    val encoding = value match {
      case _: LogicalType.Utf8 | _: LogicalType.Binary => BatchEncoding.VarBinary(nullable = true)
      case _: LogicalType.Integer => BatchEncoding.Plain
      case other => refuse(s"a dictionary of ${LogicalTypes.print(other)}")
    }
    val rows = RowRange(0, place.length)
    if (place.length < 0 || place.length > Int.MaxValue)
      throw new LanceFormatException(s"a dictionary of ${place.length} values")
    val shape = PrimitiveField.shapeOf(of)
    val buffers = LegacyColumns.buffers(encoding, shape, place.offset, rows.end, fileSize)
    val page = PageMetadata(buffers, 0, rows.end, PageDescription.Batch(encoding))
    val cursor = new ColumnCursor(
      Location(),
      Vector(PlannedPage(0, page, RowRanges(rows))),
      Leaf(Vector.empty, of),
      FileVersion.V0_1,
      bytes
    )
    while (cursor.column.length < rows.end) {
      cursor.complete(math.min(rows.end, cursor.column.length.toLong + Step).toInt)
      if (cursor.column.values.sizeInBytes > MaxBytes) refuse(s"a dictionary of more than $MaxBytes bytes")
    }
    cursor.column
  }

  private def keyBits(index: LogicalType): Int = index match {
    case LogicalType.Integer(bits, _) => bits
    case other => refuse(s"a dictionary with ${LogicalTypes.print(other)} for keys")
  }

  private def refuse(feature: String): Nothing =
    throw new UnsupportedLanceFeatureException(s"$feature in a file of version 0.1")
}
