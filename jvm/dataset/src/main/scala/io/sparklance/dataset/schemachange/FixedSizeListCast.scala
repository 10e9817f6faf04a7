package io.sparklance.dataset.schemachange

import io.sparklance.data.{Column, DataBlock, FixedSizeListBlock}

/** Casts fixed-size lists item by item. */
final private[schemachange] class FixedSizeListCast(item: ValueCast) extends ValueCast {
  override def append(
      source: Column,
      from: Int,
      until: Int,
      target: DataBlock,
      lossy: LossyValueHandler
  ): Unit = (source.values, target) match {
    case (s: FixedSizeListBlock, t: FixedSizeListBlock) =>
      val n = s.dimension
      val items = new Column(s.items, s.itemNulls)
      var at = from
      while (at < until) {
        val isNull = source.nulls.isNull(at)
        var end = at + 1
        while (end < until && source.nulls.isNull(end) == isNull) end += 1
        // Items below a null list are ignored.
        val ofItems: LossyValueHandler =
          if (isNull) IgnoreLossyValues else (value, item) => lossy.found(value, item / n)
        item.append(items, at * n, end * n, t.items, ofItems)
        at = end
      }
      t.itemNulls.append(s.itemNulls, from * n, (until - from) * n)
      t.advance(until - from)
    case _ =>
      throw new IllegalArgumentException(s"lists in a ${source.values.getClass} for a ${target.getClass}")
  }
}

/** Ignores values that do not fit. */
private[schemachange] object IgnoreLossyValues extends LossyValueHandler {
  override def found(value: String, at: Int): Unit = ()
}
