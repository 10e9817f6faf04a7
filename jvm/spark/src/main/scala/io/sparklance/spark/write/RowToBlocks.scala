package io.sparklance.spark.write

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.data.{
  Column,
  DataBlock,
  FileVersion,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBlock,
  FixedBytesBlock,
  FixedSizeListBlock,
  ListBlock,
  NullMask,
  StructBlock,
  VariableBlock
}
import io.sparklance.dataset.blob.BlobWriter
import io.sparklance.dataset.write.WriteSchema
import io.sparklance.schema.{Field, LanceSchema, LogicalType, LogicalTypes, TimeUnit}
import io.sparklance.spark.types.ShownTypes

/** Chooses the appenders for a table's columns. */
private[spark] object RowToBlocks {

  /** Refuses columns of types that are read-only, before anything is written. */
  def refuseUnwritable(schema: LanceSchema, version: FileVersion): Unit = {
    schema.fields.foreach(refuseUnwritable(_, ""))
    WriteSchema.refuseUnwritable(schema, version)
  }

  /** @param around path of the parent, ending with a dot */
  private def refuseUnwritable(field: Field, around: String): Unit = {
    if (!isWritable(field)) {
      val name = LogicalTypes.print(field.logicalType)
      throw new UnsupportedLanceFeatureException(s"writing to column '$around${field.name}' of type $name")
    }
    field.children.foreach(refuseUnwritable(_, s"$around${field.name}."))
  }

  private def isWritable(field: Field): Boolean = if (field.isBlob) field.blobVersion.isDefined
  else isWritable(field.logicalType)

  private def isWritable(lance: LogicalType): Boolean = lance match {
    case LogicalType.FixedSizeList(LogicalType.Struct, _) => false
    case LogicalType.FixedSizeList(item, _) => isWritable(item)
    case LogicalType.Dictionary(value, _) => isWritable(value)
    case LogicalType.Blob | LogicalType.Unknown(_) => false
    case LogicalType.Null | LogicalType.Bool | LogicalType.Integer(_, _) | LogicalType.FloatingPoint(_) |
        LogicalType.BFloat16 | LogicalType.Json | LogicalType.Utf8(_) | LogicalType.Binary(_) |
        LogicalType.FixedSizeBinary(_) | LogicalType.Decimal(
          _,
          _,
          _
        ) | LogicalType.Date32 | LogicalType.Date64 | LogicalType.Time(_) |
        LogicalType.Timestamp(_, _) | LogicalType.Duration(_) | LogicalType.Struct | LogicalType.List(_, _) |
        LogicalType.Map =>
      true
  }

  /** @param blobs returns the writer of a field's blobs */
  private[spark] def appender(
      field: Field,
      column: Column,
      blobs: (Field, Column) => BlobWriter
  ): ValueAppender = new RowToBlocks(blobs).appender(field, column, field.name)

  private def of(name: String, lance: LogicalType, block: DataBlock, nulls: NullMask): ValueAppender =
    (lance, block) match {
      case (LogicalType.Bool, b: Fixed8Block) => new BooleanAppender(b, nulls)
      case (LogicalType.Integer(_, true), b: Fixed8Block) => new ByteAppender(b, nulls)
      case (LogicalType.Integer(_, true), b: Fixed16Block) => new ShortAppender(b, nulls)
      case (LogicalType.Integer(_, true), b: Fixed32Block) => new IntAppender(b, nulls)
      case (LogicalType.Integer(_, true), b: Fixed64Block) => new LongAppender(b, nulls)
      case (LogicalType.Integer(_, false), b: Fixed8Block) => new UInt8Appender(name, b, nulls)
      case (LogicalType.Integer(_, false), b: Fixed16Block) => new UInt16Appender(name, b, nulls)
      case (LogicalType.Integer(_, false), b: Fixed32Block) => new UInt32Appender(name, b, nulls)
      case (LogicalType.Integer(_, false), b: Fixed64Block) => new UInt64Appender(name, b, nulls)
      case (LogicalType.FloatingPoint(_), b: Fixed16Block) => new HalfFloatAppender(name, b, nulls)
      case (LogicalType.BFloat16, b: Fixed16Block) => new BFloat16Appender(name, b, nulls)
      case (LogicalType.FloatingPoint(_), b: Fixed32Block) => new FloatAppender(b, nulls)
      case (LogicalType.FloatingPoint(_), b: Fixed64Block) => new DoubleAppender(b, nulls)
      case (LogicalType.Date32, b: Fixed32Block) => new IntAppender(b, nulls)
      case (LogicalType.Date64, b: Fixed64Block) => new Date64Appender(b, nulls)
      case (LogicalType.Time(unit), b: Fixed32Block) => new Time32Appender(name, perDay(unit), b, nulls)
      case (LogicalType.Time(unit), b: Fixed64Block) => new Time64Appender(name, perDay(unit), b, nulls)
      case (LogicalType.Timestamp(unit, _), b: Fixed64Block) => time(name, "timestamp", unit, b, nulls)
      case (LogicalType.Duration(unit), b: Fixed64Block) => time(name, "duration", unit, b, nulls)
      case (d: LogicalType.Decimal, b: FixedBytesBlock) if ShownTypes.isPlain(d) =>
        new DecimalAppender(d.precision, d.scale, b, nulls)
      case (d: LogicalType.Decimal, b: FixedBytesBlock) => new AnyDecimalAppender(name, d, b, nulls)
      case (LogicalType.FixedSizeBinary(width), b: FixedBlock) =>
        new FixedBinaryAppender(name, width, b, nulls)
      case (LogicalType.Null, b: FixedBlock) => new NullAppender(name, b, nulls)
      case (LogicalType.Utf8(_), b: VariableBlock) => new StringAppender(name, b, nulls)
      case (LogicalType.Json, b: VariableBlock) => new JsonAppender(name, b, nulls)
      case (LogicalType.Binary(_), b: VariableBlock) => new BinaryAppender(b, nulls)
      case (LogicalType.FixedSizeList(item, _), b: FixedSizeListBlock) =>
        new FixedSizeListAppender(name, b, nulls, of(s"$name.item", item, b.items, b.itemNulls))
      case _ =>
        throw new IllegalStateException(s"column '$name' of type $lance is not written to ${block.getClass}")
    }

  private def time(
      name: String,
      kind: String,
      unit: TimeUnit,
      block: Fixed64Block,
      nulls: NullMask
  ): ValueAppender = unit match {
    case TimeUnit.Second => new CoarseTimeAppender(name, kind, 1000000L, block, nulls)
    case TimeUnit.Millisecond => new CoarseTimeAppender(name, kind, 1000L, block, nulls)
    case TimeUnit.Microsecond => new LongAppender(block, nulls)
    case TimeUnit.Nanosecond => new NanosecondAppender(name, kind, block, nulls)
  }

  private def perDay(unit: TimeUnit): Long = 86400L *
    (unit match {
      case TimeUnit.Second => 1L
      case TimeUnit.Millisecond => 1000L
      case TimeUnit.Microsecond => 1000000L
      case TimeUnit.Nanosecond => 1000000000L
    })
}

final private class RowToBlocks(blobs: (Field, Column) => BlobWriter) {

  /** @param name path of the field */
  def appender(field: Field, column: Column, name: String): ValueAppender = {
    def inside(child: Field, of: Column): ValueAppender = appender(child, of, s"$name.${child.name}")
    (field.logicalType, column.values) match {
      case (_, block: StructBlock) if field.isBlob =>
        new BlobAppender(blobs(field, column), block, column.nulls)
      case (LogicalType.Struct, block: StructBlock) =>
        val children = field.children.zip(block.children).map { case (child, of) => inside(child, of) }
        new StructAppender(children.toArray, block, column.nulls)
      case (LogicalType.List(_, _), block: ListBlock) =>
        new ListAppender(inside(field.children.head, block.items), block, column.nulls)
      case (LogicalType.Map, block: ListBlock) => map(field.children.head, name, block, column.nulls)
      case _ => RowToBlocks.of(name, ShownTypes.meaning(field), column.values, column.nulls)
    }
  }

  private def map(entries: Field, name: String, block: ListBlock, nulls: NullMask): ValueAppender =
    (entries.children, block.items.values) match {
      case (Vector(key, value), pairs: StructBlock) =>
        new MapAppender(
          appender(key, pairs.children(0), s"$name.${key.name}"),
          appender(value, pairs.children(1), s"$name.${value.name}"),
          pairs,
          block,
          nulls
        )
      case _ => throw new UnsupportedLanceFeatureException(s"a map without keys and values (column '$name')")
    }
}
