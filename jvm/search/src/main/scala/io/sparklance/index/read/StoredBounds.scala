package io.sparklance.index.read

import io.sparklance.data.{Column, VariableBlock}
import io.sparklance.dataset.predicate.NumberKeys
import io.sparklance.dataset.statistics.ZoneFacts
import io.sparklance.schema.LogicalType

/** Least and greatest values of pages or zones, in the order of indices: nulls first, then -NaN, ..., -0, 0,
  * ..., NaN. A null as least value is below all others; a null as greatest value means that it is unknown.
  */
private[read] object StoredBounds {

  def of(logicalType: LogicalType, least: Column, most: Column, count: Int): ZoneFacts =
    (NumberKeys.of(logicalType), least.values, most.values) match {
      case (Some(keys), _, _) => numbers(keys, least, most, count)
      case (None, low: VariableBlock, high: VariableBlock) =>
        new ZoneFacts.Bytes(
          Array.tabulate(count)(i => if (least.nulls.isNull(i)) Array.emptyByteArray else bytes(low, i)),
          Array.tabulate(count) { i =>
            if (most.nulls.isNull(i)) ZoneFacts.Unbounded else ZoneFacts.AtMost(bytes(high, i))
          },
          inexact(count)
        )
      case (None, _, _) => ZoneFacts.Unknown
    }

  /** All NaNs have the highest key, so a zone that begins with -NaN has any keys. */
  private def numbers(keys: NumberKeys, least: Column, most: Column, count: Int): ZoneFacts = {
    val (low, high) = (keysOf(keys, least, count), keysOf(keys, most, count))
    val from = Array.tabulate(count) { i =>
      if (least.nulls.isNull(i) || keys.nan.contains(low(i))) Long.MinValue else low(i)
    }
    val to = Array.tabulate(count) { i =>
      if (most.nulls.isNull(i) || keys.nan.contains(low(i)) && !least.nulls.isNull(i)) Long.MaxValue
      else high(i)
    }
    new ZoneFacts.Numbers(from, to, new Array[Int](count), inexact(count))
  }

  private def keysOf(keys: NumberKeys, column: Column, count: Int): Array[Long] = {
    val out = new Array[Long](count)
    keys.gather(column.values, Array.range(0, count), count, out)
    out
  }

  private def bytes(block: VariableBlock, row: Int): Array[Byte] = IndexFile.bytesAt(block, row).toArray

  private def inexact(count: Int): ZoneFacts.Exactness =
    new ZoneFacts.Exactness(new Array[Boolean](count), new Array[Boolean](count))
}
