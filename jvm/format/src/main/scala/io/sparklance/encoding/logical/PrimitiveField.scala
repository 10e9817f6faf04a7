package io.sparklance.encoding.logical

import io.sparklance.data.{Column, FileVersion, Slice, ValueShape}
import io.sparklance.encoding.compression.FileDictionaries
import io.sparklance.encoding.{DecodeUnit, EncodedPage, Levels, OpenPage, Slots}
import io.sparklance.schema.{Field, Leaf, LogicalType, LogicalTypes, TimeUnit}
import io.sparklance.{LanceFormatException, LanceUsageException, UnsupportedLanceFeatureException}

/** Top-level columns without structs or lists around them: a row is a value, and a value is null where its
  * definition level is not 0.
  */
private[sparklance] object PrimitiveField {

  /** Returns the shape of the values of `field`. Refuses columns that are not primitive, by name. */
  def shapeOf(field: Field): ValueShape =
    if (field.isBlob) blobShape(field)
    else if (field.isPacked) ValueShape.Struct(field.children.map(packedShape))
    else shapeOf(field.logicalType, field.name)

  private def blobShape(field: Field): ValueShape = field.blobVersion match {
    case Some(version) => ValueShape.Struct(version.descriptor.map(shapeOf))
    case None => refuse(s"blob of ${LogicalTypes.print(field.logicalType)}", field.name)
  }

  /** Returns the shape of a packed struct; structs inside it are packed, too. */
  private def packedShape(field: Field): ValueShape = field.logicalType match {
    case LogicalType.Struct if field.children.nonEmpty => ValueShape.Struct(field.children.map(packedShape))
    case _ => shapeOf(field)
  }

  private def shapeOf(logicalType: LogicalType, column: String): ValueShape = logicalType match {
    case LogicalType.Bool => ValueShape.FixedWidth(1)
    case LogicalType.Integer(bits, _) => ValueShape.FixedWidth(bits)
    case LogicalType.FloatingPoint(bits) => ValueShape.FixedWidth(bits)
    case LogicalType.BFloat16 => ValueShape.FixedWidth(16)
    case LogicalType.Decimal(bits, _, _) => ValueShape.FixedWidth(bits)
    case LogicalType.Date32 => ValueShape.FixedWidth(32)
    case LogicalType.Date64 => ValueShape.FixedWidth(64)
    case LogicalType.Time(TimeUnit.Second | TimeUnit.Millisecond) => ValueShape.FixedWidth(32)
    case LogicalType.Time(TimeUnit.Microsecond | TimeUnit.Nanosecond) => ValueShape.FixedWidth(64)
    case _: LogicalType.Timestamp => ValueShape.FixedWidth(64)
    case _: LogicalType.Duration => ValueShape.FixedWidth(64)
    case LogicalType.FixedSizeBinary(width) =>
      if (width > Int.MaxValue / 8) refuse(s"fixed_size_binary of $width bytes", column)
      ValueShape.FixedWidth(8 * width)
    case LogicalType.Utf8(large) => ValueShape.VariableWidth(if (large) 64 else 32)
    case LogicalType.Binary(large) => ValueShape.VariableWidth(if (large) 64 else 32)
    case LogicalType.FixedSizeList(item, size) => ValueShape.FixedSizeList(size, shapeOf(item, column))
    // Pages of it have no values, so that any shape will do.
    case LogicalType.Null => ValueShape.FixedWidth(8)
    case LogicalType.Json => ValueShape.VariableWidth(64)
    case LogicalType.Dictionary(value, _) => shapeOf(value, column)
    case LogicalType.Struct => refuse("struct", column)
    case _: LogicalType.List => refuse("list", column)
    case LogicalType.Map => refuse("map", column)
    case LogicalType.Blob => refuse("blob", column)
    case LogicalType.Unknown(name) => refuse(name, column)
  }

  private def refuse(kind: String, column: String): Nothing =
    throw new UnsupportedLanceFeatureException(s"type $kind (of column '$column')")

  /** Appends the values and nulls of `unit.rows`. `levels` is scratch space. */
  def decode(page: OpenPage, unit: DecodeUnit, bytes: Slice, column: Column, levels: Levels): Unit = {
    levels.clear()
    val before = column.length
    page.decode(unit, bytes, column.values, levels)
    val rows = column.length - before
    if (levels.hasRepetition || page.layers.size > 1)
      throw new LanceFormatException(s"a page of ${page.layers.size} layers in a column of one")
    if (rows != unit.rows.length)
      throw new LanceFormatException(s"rows ${unit.rows} of a page decode to $rows values")
    if (!levels.hasDefinition) column.nulls.appendValid(rows)
    else if (levels.length == rows) column.nulls.appendLevels(levels.definition, 0, rows, maxValid = 0)
    else throw new LanceFormatException(s"$rows values have ${levels.length} definition levels")
  }

  /** Encodes `column`, which is not empty, as one page. Overwrites null slots with zeroes. */
  def encode(
      column: Column,
      field: Field,
      version: FileVersion,
      dictionaries: FileDictionaries = new FileDictionaries
  ): EncodedPage = {
    if (column.nulls.hasNulls) {
      if (!field.nullable) refuseNulls(field.name)
      column.values.zeroNulls(column.nulls.orNull)
    }
    new LeafPages(
      Leaf(Vector.empty, field),
      version,
      dictionaries
    ).encode(column, Slots.of(column.nulls)).head
  }

  private[logical] def refuseNulls(column: String): Nothing = throw new LanceUsageException(
    s"column '$column' was given nulls, which its schema does not allow; " +
      "filter them out, fill them in, or make the column nullable"
  )
}
