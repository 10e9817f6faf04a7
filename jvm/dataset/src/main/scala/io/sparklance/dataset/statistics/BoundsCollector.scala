package io.sparklance.dataset.statistics

import java.util.Arrays

import scala.collection.mutable

import io.sparklance.data.{DataBlock, VariableBlock}
import io.sparklance.dataset.order.SortKeys
import io.sparklance.dataset.predicate.NumberKeys
import io.sparklance.schema.LogicalType

/** Finds the bounds of zone after zone. */
private[statistics] trait BoundsCollector {

  /** Looks at the values at `positions[0 until count]`, which belong to the current zone. */
  def add(values: DataBlock, positions: Array[Int], count: Int): Unit
  def endZone(): Unit

  /** Bounds of all finished zones. */
  def result(): ZoneFacts
}

private[statistics] object BoundsCollector {
  def of(logicalType: LogicalType): BoundsCollector = NumberKeys.of(logicalType) match {
    case Some(keys) => new NumberBounds(keys)
    case None => if (isBytes(logicalType)) new BytesBounds else NoBounds
  }

  /** Whether values are sorted by their bytes. */
  def isBytes(logicalType: LogicalType): Boolean = logicalType match {
    case LogicalType.Utf8(_) | LogicalType.Binary(_) => true
    case LogicalType.Dictionary(value, _) => isBytes(value)
    case _ => false
  }

  private object NoBounds extends BoundsCollector {
    def add(values: DataBlock, positions: Array[Int], count: Int): Unit = ()
    def endZone(): Unit = ()
    def result(): ZoneFacts = ZoneFacts.Unknown
  }
}

final private class NumberBounds(keys: NumberKeys) extends BoundsCollector {
  private val nan = keys.nan
  private var gathered = new Array[Long](0)
  private val allLeast = new mutable.ArrayBuilder.ofLong
  private val allMost = new mutable.ArrayBuilder.ofLong
  private val allNans = new mutable.ArrayBuilder.ofInt
  private val leastIsTold = new mutable.ArrayBuilder.ofBoolean
  private val mostIsTold = new mutable.ArrayBuilder.ofBoolean
  private var least = Long.MaxValue
  private var most = Long.MinValue
  private var nans = 0

  /** Whether there are negative zeroes: then it is unknown which zero a bound is. */
  private var hasNegativeZeroes = false

  def add(values: DataBlock, positions: Array[Int], count: Int): Unit = {
    if (gathered.length < count) gathered = new Array[Long](count)
    keys.gather(values, positions, count, gathered)
    val numbers = nan.fold(count)(withoutNans(_, count))
    nans += count - numbers
    var low = Long.MaxValue
    var high = Long.MinValue
    var i = 0
    while (i < numbers) {
      low = math.min(low, gathered(i))
      high = math.max(high, gathered(i))
      i += 1
    }
    if (nan.isDefined && !hasNegativeZeroes && (low == 0 || high == 0))
      hasNegativeZeroes = keys.hasNegativeZero(values, positions, count)
    least = math.min(least, low)
    most = math.max(most, high)
  }

  def endZone(): Unit = {
    allLeast += least
    allMost += most
    allNans += nans
    leastIsTold += isTold(least)
    mostIsTold += isTold(most)
    least = Long.MaxValue
    most = Long.MinValue
    nans = 0
    hasNegativeZeroes = false
  }

  def result(): ZoneFacts = new ZoneFacts.Numbers(
    allLeast.result(),
    allMost.result(),
    allNans.result(),
    new ZoneFacts.Exactness(leastIsTold.result(), mostIsTold.result())
  )

  private def isTold(bound: Long): Boolean = keys.tells(bound) || nan.isDefined && !hasNegativeZeroes

  private def withoutNans(nan: Long, count: Int): Int = {
    var kept = 0
    var i = 0
    while (i < count) {
      val key = gathered(i)
      gathered(kept) = key
      if (key != nan) kept += 1
      i += 1
    }
    kept
  }
}

/** Bounds of byte strings, cut to [[BytesBounds.MaxLength]] bytes. The first eight bytes of a value, as a
  * number, mostly tell that it is neither the least nor the greatest.
  */
final private class BytesBounds extends BoundsCollector {
  import BytesBounds._

  private val allLeast = mutable.ArrayBuilder.make[Array[Byte]]
  private val allMost = mutable.ArrayBuilder.make[ZoneFacts.UpperBound]
  private val wholeLeast = new mutable.ArrayBuilder.ofBoolean
  private val wholeMost = new mutable.ArrayBuilder.ofBoolean
  private val least = new Extreme
  private val most = new Extreme
  private var isEmpty = true

  def add(values: DataBlock, positions: Array[Int], count: Int): Unit = {
    val block = values.asInstanceOf[VariableBlock]
    var i = 0
    while (i < count) {
      val at = block.offsets(positions(i))
      val size = block.offsets(positions(i) + 1) - at
      val head = SortKeys.prefix(block.bytes, at, size)
      if (isEmpty) {
        least.set(block.bytes, at, size, head)
        most.set(block.bytes, at, size, head)
        isEmpty = false
      } else {
        if (head <= least.head && least.compare(block.bytes, at, size, head) < 0)
          least.set(block.bytes, at, size, head)
        if (head >= most.head) {
          val order = most.compare(block.bytes, at, size, head)
          if (order > 0) most.set(block.bytes, at, size, head)
          else if (order == 0 && size > MaxLength) most.isCut = true
        }
      }
      i += 1
    }
  }

  def endZone(): Unit = {
    allLeast += least.value
    allMost += (if (most.isCut) successor(most.value) else ZoneFacts.AtMost(most.value))
    wholeLeast += !least.isCut
    wholeMost += !most.isCut
    least.clear()
    most.clear()
    isEmpty = true
  }

  def result(): ZoneFacts = new ZoneFacts.Bytes(
    allLeast.result(),
    allMost.result(),
    new ZoneFacts.Exactness(wholeLeast.result(), wholeMost.result())
  )
}

private[statistics] object BytesBounds {

  /** Number of bytes kept of a value. */
  final val MaxLength = 32

  /** The first bytes of the least or the greatest value so far. */
  final private class Extreme {
    private val bytes = new Array[Byte](MaxLength)
    private var length = 0
    var head = 0L

    /** Whether there is more of it. */
    var isCut = false

    def value: Array[Byte] = Arrays.copyOf(bytes, length)

    def set(from: Array[Byte], at: Int, size: Int, head: Long): Unit = {
      length = math.min(size, MaxLength)
      System.arraycopy(from, at, bytes, 0, length)
      this.head = head
      isCut = size > MaxLength
    }

    /** Compares the first bytes of a value with these. */
    def compare(from: Array[Byte], at: Int, size: Int, head: Long): Int =
      if (head == this.head && size == length && size <= 8) 0
      else Arrays.compareUnsigned(from, at, at + math.min(size, MaxLength), bytes, 0, length)

    def clear(): Unit = {
      length = 0
      isCut = false
    }
  }

  /** The least byte string above all that begin with `part`. */
  private def successor(part: Array[Byte]): ZoneFacts.UpperBound = {
    val kept = part.lastIndexWhere(_ != -1) + 1
    if (kept == 0) ZoneFacts.Unbounded
    else {
      val above = Arrays.copyOf(part, kept)
      above(kept - 1) = (above(kept - 1) + 1).toByte
      ZoneFacts.AtMost(above)
    }
  }
}
