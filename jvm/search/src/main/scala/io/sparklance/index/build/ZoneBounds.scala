package io.sparklance.index.build

import java.util.Arrays

import io.sparklance.data.{DataBlock, VariableBlock}

/** Bounds and counts of a zone's live rows.
  *
  * @param min
  *   least key, if any value is neither null nor NaN and the type has bounds
  */
final private[sparklance] case class ZoneBounds(
    min: Option[AnyRef],
    max: Option[AnyRef],
    nulls: Int,
    nans: Int
)

/** Computes [[ZoneBounds]]. */
sealed abstract private[sparklance] class ZoneBoundsCollector {
  private var nulls = 0
  protected var nans = 0

  final def addNull(): Unit = nulls += 1

  /** Adds value `i`, which is not null. */
  def add(values: DataBlock, i: Int): Unit

  final def bounds: ZoneBounds = ZoneBounds(min, max, nulls, nans)

  protected def min: Option[AnyRef]
  protected def max: Option[AnyRef]
}

private[sparklance] object ZoneBoundsCollector {
  def of(keys: IndexKeys[_]): ZoneBoundsCollector = keys match {
    case numbers: NumberIndexKeys => new NumberBounds(numbers)
    case strings: ByteIndexKeys => new ByteBounds(strings)
  }

  final private class NumberBounds(keys: NumberIndexKeys) extends ZoneBoundsCollector {
    private var least = Long.MaxValue
    private var most = Long.MinValue

    def add(values: DataBlock, i: Int): Unit = {
      val key = keys.number(values, i)
      if (keys.form.isNaN(key)) nans += 1
      else {
        least = math.min(least, key)
        most = math.max(most, key)
      }
    }

    protected def min: Option[AnyRef] = Option.when(least <= most)(Long.box(least))
    protected def max: Option[AnyRef] = Option.when(least <= most)(Long.box(most))
  }

  final private class ByteBounds(keys: ByteIndexKeys) extends ZoneBoundsCollector {
    private var least, most: Array[Byte] = _

    def add(values: DataBlock, i: Int): Unit = {
      if (least == null || compare(values, i, least) < 0) least = keys.of(values, i)
      if (most == null || compare(values, i, most) > 0) most = keys.of(values, i)
    }

    private def compare(values: DataBlock, i: Int, key: Array[Byte]): Int = values match {
      case block: VariableBlock =>
        Arrays.compareUnsigned(block.bytes, block.offsets(i), block.offsets(i + 1), key, 0, key.length)
      case _ => keys.compare(keys.of(values, i), key)
    }

    protected def min: Option[AnyRef] = Option(least)
    protected def max: Option[AnyRef] = Option(most)
  }
}
