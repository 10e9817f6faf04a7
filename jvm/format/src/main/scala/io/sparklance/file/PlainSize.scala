package io.sparklance.file

import io.sparklance.encoding.pages.PageDescription
import io.sparklance.proto.encodings.PageLayout.Layout
import io.sparklance.proto.encodings.{PageLayout, RepDefLayer}
import io.sparklance.schema.{Field, LogicalType, TimeUnit}

/** Bytes that the values of a page would take without an encoding. */
private[file] object PlainSize {

  /** None if the values do not all have one width, or if the page does not tell how many it has.
    *
    * @param rows
    *   of the page
    */
  def of(page: PageDescription, rows: Long, field: Field): Option[Long] =
    for {
      bits <- Option.unless(field.isBlob || field.isPacked)(field).flatMap(f => bitsOf(f.logicalType))
      values <- valuesOf(page, rows)
    } yield math.ceil(values.toDouble * bits / 8).toLong

  private def valuesOf(page: PageDescription, rows: Long): Option[Long] = page match {
    case PageDescription.Batch(_) | PageDescription.Array(_) => Some(rows)
    case PageDescription.Blobs(_) => None
    case PageDescription.Structure(layout) => valuesOf(layout, rows)
  }

  private def valuesOf(page: PageLayout, rows: Long): Option[Long] = page.layout match {
    case Layout.MiniBlockLayout(chunks) => Some(chunks.numItems)
    case Layout.FullZipLayout(values) => Some(values.numVisibleItems.toLong)
    case Layout.ConstantLayout(one) => Option.unless(one.layers.exists(isList))(rows)
    case _: Layout.BlobLayout | Layout.Empty => None
  }

  private def isList(layer: RepDefLayer): Boolean =
    layer != RepDefLayer.REPDEF_ALL_VALID_ITEM && layer != RepDefLayer.REPDEF_NULLABLE_ITEM

  private def bitsOf(values: LogicalType): Option[Long] = values match {
    case LogicalType.Bool => Some(1)
    case LogicalType.Integer(bits, _) => Some(bits.toLong)
    case LogicalType.FloatingPoint(bits) => Some(bits.toLong)
    case LogicalType.BFloat16 => Some(16)
    case LogicalType.Decimal(bits, _, _) => Some(bits.toLong)
    case LogicalType.Date32 | LogicalType.Time(TimeUnit.Second | TimeUnit.Millisecond) => Some(32)
    case LogicalType.Date64 | LogicalType.Time(TimeUnit.Microsecond | TimeUnit.Nanosecond) => Some(64)
    case _: LogicalType.Timestamp | _: LogicalType.Duration => Some(64)
    case LogicalType.FixedSizeBinary(width) => Some(8L * width)
    case LogicalType.FixedSizeList(item, size) => bitsOf(item).map(_ * size)
    case LogicalType.Dictionary(value, _) => bitsOf(value)
    case _: LogicalType.Utf8 | _: LogicalType.Binary | LogicalType.Json | LogicalType.Blob => None
    case LogicalType.Struct | _: LogicalType.List | LogicalType.Map | LogicalType.Null => None
    case LogicalType.Unknown(_) => None
  }
}
