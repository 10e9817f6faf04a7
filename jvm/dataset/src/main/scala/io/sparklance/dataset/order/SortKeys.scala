package io.sparklance.dataset.order

import java.lang.invoke.{MethodHandles, VarHandle}
import java.nio.ByteOrder

import io.sparklance.data.{DataBlock, VariableBlock}
import io.sparklance.dataset.predicate.NumberKeys
import io.sparklance.schema.LogicalType

/** Maps values to longs in the order of the values. Different values may have equal keys. */
sealed abstract private[dataset] class SortKeys {

  /** Whether different values have different keys, except at the smallest and the greatest key. */
  def areExact: Boolean

  /** Key of NaNs, if the type has them. */
  def nan: Option[Long]

  /** Writes the keys of the values at `positions[0 until count]` to `out`. The key of a null is arbitrary. */
  def gather(block: DataBlock, positions: Array[Int], count: Int, out: Array[Long]): Unit
}

private[dataset] object SortKeys {
  private val BigEndian: VarHandle =
    MethodHandles.byteArrayViewVarHandle(classOf[Array[Long]], ByteOrder.BIG_ENDIAN)

  /** Returns None for unordered and for rare types. */
  def of(logicalType: LogicalType): Option[SortKeys] = logicalType match {
    case LogicalType.Utf8(_) | LogicalType.Binary(_) => Some(Prefixes)
    case LogicalType.Dictionary(value, _) => of(value)
    case other => NumberKeys.of(other).map(new Numbers(_))
  }

  /** Returns the first eight bytes of a byte string, padded with zeroes. */
  def prefix(bytes: Array[Byte], at: Int, size: Int): Long = {
    var head = 0L
    if (at + 8 <= bytes.length) {
      val all: Long = BigEndian.get(bytes, at)
      head = if (size >= 8) all else if (size == 0) 0 else all & -1L << 64 - 8 * size
    } else {
      var i = 0
      while (i < 8) { head = head << 8 | (if (i < size) bytes(at + i) & 0xffL else 0L); i += 1 }
    }
    head ^ Long.MinValue
  }

  final private class Numbers(keys: NumberKeys) extends SortKeys {
    def areExact: Boolean = true
    def nan: Option[Long] = keys.nan
    def gather(block: DataBlock, positions: Array[Int], count: Int, out: Array[Long]): Unit =
      keys.gather(block, positions, count, out)
  }

  private object Prefixes extends SortKeys {
    def areExact: Boolean = false
    def nan: Option[Long] = None

    def gather(block: DataBlock, positions: Array[Int], count: Int, out: Array[Long]): Unit = {
      val texts = block.asInstanceOf[VariableBlock]
      val bytes = texts.bytes
      val offsets = texts.offsets
      var i = 0
      while (i < count) {
        val at = offsets(positions(i))
        out(i) = prefix(bytes, at, offsets(positions(i) + 1) - at)
        i += 1
      }
    }
  }
}
