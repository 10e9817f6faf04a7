package io.sparklance.dataset.statistics

import scala.collection.mutable

import io.sparklance.data.DataBlock
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
