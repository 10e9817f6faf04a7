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
  FixedBytesBlock,
  FixedSizeListBlock,
  ListBlock,
  NullMask,
  StructBlock,
  VariableBlock
}
import io.sparklance.dataset.WriteSchema
import io.sparklance.schema.{Field, LanceSchema, LogicalType, LogicalTypes, TimeUnit}
import io.sparklance.spark.ShownTypes

/** Chooses the appenders for a table's columns. */
private[spark] object RowToBlocks {

  /** Columns whose values are read but not written are refused before there is anything to write. */
  def refuseUnwritable(schema: LanceSchema, version: FileVersion): Unit = {
    schema.fields.foreach(refuseUnwritable(_, ""))
    WriteSchema.refuseUnwritable(schema, version)
  }

  /** @param around the names of what the field is in, each with a dot */
  private def refuseUnwritable(field: Field, around: String): Unit = {
    if (field.isBlob || field.isPacked || !isWritable(field)) {
      val name = LogicalTypes.print(field.logicalType)
      throw new UnsupportedLanceFeatureException(s"writing to column '$around${field.name}' of type $name")
    }
    field.children.foreach(refuseUnwritable(_, s"$around${field.name}."))
  }

  private def isWritable(field: Field): Boolean = field.logicalType match {
    case LogicalType.FixedSizeList(LogicalType.Integer(_, _), _) => true
    case LogicalType.FixedSizeList(LogicalType.FloatingPoint(bits), _) => bits > 16
    case LogicalType.FixedSizeList(_, _) => false
    case other => ShownTypes.saysAll(other)
  }

  private[write] def appender(field: Field, column: Column): ValueAppender =
    appender(field, column, field.name)

  /** @param name the field's, with those of what it is in */
  private def appender(field: Field, column: Column, name: String): ValueAppender = {
    def inside(child: Field, of: Column): ValueAppender = appender(child, of, s"$name.${child.name}")
    (field.logicalType, column.values) match {
      case (LogicalType.Struct, block: StructBlock) =>
        val children = field.children.zip(block.children).map { case (child, of) => inside(child, of) }
        new StructAppender(children.toArray, block, column.nulls)
      case (LogicalType.List(_, _), block: ListBlock) =>
        new ListAppender(inside(field.children.head, block.items), block, column.nulls)
      case (LogicalType.Map, block: ListBlock) => map(field.children.head, name, block, column.nulls)
      case _ => of(name, field.logicalType, column.values, column.nulls)
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
      case (LogicalType.FloatingPoint(_), b: Fixed32Block) => new FloatAppender(b, nulls)
      case (LogicalType.FloatingPoint(_), b: Fixed64Block) => new DoubleAppender(b, nulls)
      case (LogicalType.Date32, b: Fixed32Block) => new IntAppender(b, nulls)
      case (LogicalType.Timestamp(unit, _), b: Fixed64Block) => timestamp(name, unit, b, nulls)
      case (LogicalType.Decimal(_, p, s), b: FixedBytesBlock) => new DecimalAppender(p, s, b, nulls)
      case (LogicalType.Utf8(_), b: VariableBlock) => new StringAppender(b, nulls)
      case (LogicalType.Binary(_), b: VariableBlock) => new BinaryAppender(b, nulls)
      case (LogicalType.FixedSizeList(item, _), b: FixedSizeListBlock) =>
        new FixedSizeListAppender(name, b, nulls, of(s"$name.item", item, b.items, b.itemNulls))
      case _ =>
        throw new IllegalStateException(s"column '$name' of type $lance is not written to ${block.getClass}")
    }

  private def timestamp(name: String, unit: TimeUnit, block: Fixed64Block, nulls: NullMask): ValueAppender =
    unit match {
      case TimeUnit.Second => new CoarseTimestampAppender(name, 1000000L, block, nulls)
      case TimeUnit.Millisecond => new CoarseTimestampAppender(name, 1000L, block, nulls)
      case TimeUnit.Microsecond | TimeUnit.Nanosecond => new LongAppender(block, nulls)
    }
}
