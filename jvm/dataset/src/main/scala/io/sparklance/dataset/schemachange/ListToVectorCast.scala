package io.sparklance.dataset.schemachange

import io.sparklance.data.{Column, DataBlock, FixedSizeListBlock, ListBlock}
import io.sparklance.schema.{Field, LogicalType}

/** Casts lists to fixed-size lists, item by item. A list of another length is lossy. */
final private[schemachange] class ListToVectorCast(item: ValueCast) extends ValueCast {
  override def append(
      source: Column,
      from: Int,
      until: Int,
      target: DataBlock,
      lossy: LossyValueHandler
  ): Unit = (source.values, target) match {
    case (s: ListBlock, t: FixedSizeListBlock) =>
      def length(row: Int): Int = s.offsets(row + 1) - s.offsets(row)
      def fits(row: Int): Boolean = !source.nulls.isNull(row) && length(row) == t.dimension
      var at = from
      while (at < until) {
        val isFit = fits(at)
        var end = at + 1
        while (end < until && fits(end) == isFit) end += 1
        if (isFit) items(s, at, end, t, lossy)
        else {
          (at until end).find(!source.nulls.isNull(_)).foreach { row =>
            lossy.foundLength(length(row), row)
          }
          t.appendSlots(end - at)
        }
        at = end
      }
    case _ =>
      throw new IllegalArgumentException(s"lists in a ${source.values.getClass} for a ${target.getClass}")
  }

  /** Appends lists of the right length. */
  private def items(
      source: ListBlock,
      from: Int,
      until: Int,
      target: FixedSizeListBlock,
      lossy: LossyValueHandler
  ): Unit = {
    val first = source.offsets(from)
    val last = source.offsets(until)
    val inRow: LossyValueHandler =
      (value, at) => lossy.found(value, from + (at - first) / target.dimension)
    item.append(source.items, first, last, target.items, inRow)
    target.itemNulls.append(source.items.nulls, first, last - first)
    target.advance(until - from)
  }
}

private[schemachange] object ListToVectorCast {

  /** Returns the cast of a field, or None if there is none: the field is no list, or its items are not of one
    * width.
    */
  def of(from: Field, to: LogicalType): Option[ValueCast] = (from.logicalType, from.children, to) match {
    case (LogicalType.List(_, _), Vector(item), LogicalType.FixedSizeList(wanted, _))
        if item.children.isEmpty && isOfOneWidth(wanted) =>
      ValueCast.of(item.logicalType, wanted).map(new ListToVectorCast(_))
    case _ => None
  }

  /** Whether vectors of a type can be written. */
  def isOfOneWidth(item: LogicalType): Boolean = item match {
    case LogicalType.Bool | LogicalType.Integer(_, _) | LogicalType.FloatingPoint(_) |
        LogicalType.BFloat16 | LogicalType.Decimal(_, _, _) | LogicalType.Date32 | LogicalType.Date64 |
        LogicalType.Time(_) | LogicalType.Timestamp(_, _) | LogicalType.Duration(_) => true
    case LogicalType.FixedSizeList(inner, _) => isOfOneWidth(inner)
    case LogicalType.Null | LogicalType.Utf8(_) | LogicalType.Binary(_) | LogicalType.FixedSizeBinary(_) |
        LogicalType.Struct | LogicalType.List(_, _) | LogicalType.Map | LogicalType.Dictionary(_, _) |
        LogicalType.Json | LogicalType.Blob | LogicalType.Unknown(_) => false
  }
}
