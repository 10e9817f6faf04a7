package io.sparklance.dataset.statistics

import io.sparklance.data.{DataBlock, FixedBytesBlock, LittleEndian}
import io.sparklance.dataset.predicate.NumberKeys

/** Extreme of numbers with exact keys, apart from zeroes and NaNs. */
final private class NumberExtreme(keys: NumberKeys, end: End, found: DataBlock) extends Extreme(found) {
  private val mask = Extreme.mask(end)
  private var gathered = new Array[Long](0)
  private var best = 0L

  def add(values: DataBlock, positions: Array[Int], count: Int): Unit = {
    if (gathered.length < count) gathered = new Array[Long](count)
    keys.gather(values, positions, count, gathered)
    var low = if (found.length > 0) best else Long.MaxValue
    var at = if (found.length > 0) -1 else 0
    var i = 0
    while (i < count) {
      val key = gathered(i) ^ mask
      if (key < low) {
        low = key
        at = i
      }
      i += 1
    }
    if (count > 0 && at >= 0) {
      best = low
      keep(values, positions(at))
    }
  }

  def isTold(bounds: ZoneFacts, zone: Int): Boolean = bounds match {
    case numbers: ZoneFacts.Numbers =>
      NumberBound.isNan(numbers, zone, end) || NumberBound.isTold(numbers, zone, end)
    case _: ZoneFacts.Bytes | ZoneFacts.Unknown => false
  }

  def addBound(bounds: ZoneFacts, zone: Int): Unit = bounds match {
    case numbers: ZoneFacts.Numbers if mayChange(bounds, zone) =>
      val key = keyOf(numbers, zone)
      best = key ^ mask
      found.clear()
      keys.append(key, found)
    case _: ZoneFacts.Numbers | _: ZoneFacts.Bytes | ZoneFacts.Unknown => ()
  }

  def mayChange(bounds: ZoneFacts, zone: Int): Boolean = bounds match {
    case numbers: ZoneFacts.Numbers => found.length == 0 || (keyOf(numbers, zone) ^ mask) < best
    case _: ZoneFacts.Bytes | ZoneFacts.Unknown => true
  }

  def compare(bounds: ZoneFacts, zone: Int, others: ZoneFacts, other: Int): Int = (bounds, others) match {
    case (a: ZoneFacts.Numbers, b: ZoneFacts.Numbers) =>
      java.lang.Long.compare(keyOf(a, zone) ^ mask, keyOf(b, other) ^ mask)
    case (_: ZoneFacts.Numbers | _: ZoneFacts.Bytes | ZoneFacts.Unknown, _) => 0
  }

  private def keyOf(bounds: ZoneFacts.Numbers, zone: Int): Long =
    keys.nan.filter(_ => NumberBound.isNan(bounds, zone, end)).getOrElse(NumberBound.of(bounds, zone, end))
}

/** Extreme of decimals beyond a long, compared as two longs: the upper one signed, the lower one unsigned. */
final private class LongDecimalExtreme(keys: NumberKeys, end: End, found: DataBlock) extends Extreme(found) {
  private val mask = Extreme.mask(end)
  private var bestHigh = 0L
  private var bestLow = 0L

  def add(values: DataBlock, positions: Array[Int], count: Int): Unit = {
    val bytes = values.asInstanceOf[FixedBytesBlock].bytes
    var at = -1
    var i = 0
    while (i < count) {
      val from = positions(i) << 4
      val high = LittleEndian.long(bytes, from + 8) ^ mask
      val low = LittleEndian.long(bytes, from) ^ mask
      if (at < 0 && found.length == 0 || isBefore(high, low)) {
        bestHigh = high
        bestLow = low
        at = i
      }
      i += 1
    }
    if (at >= 0) keep(values, positions(at))
  }

  private def isBefore(high: Long, low: Long): Boolean =
    high < bestHigh || high == bestHigh && java.lang.Long.compareUnsigned(low, bestLow) < 0

  def isTold(bounds: ZoneFacts, zone: Int): Boolean = bounds match {
    case numbers: ZoneFacts.Numbers => NumberBound.isTold(numbers, zone, end)
    case _: ZoneFacts.Bytes | ZoneFacts.Unknown => false
  }

  def addBound(bounds: ZoneFacts, zone: Int): Unit = bounds match {
    case numbers: ZoneFacts.Numbers if mayChange(bounds, zone) =>
      val key = NumberBound.of(numbers, zone, end)
      bestHigh = key >> 63 ^ mask
      bestLow = key ^ mask
      found.clear()
      keys.append(key, found)
    case _: ZoneFacts.Numbers | _: ZoneFacts.Bytes | ZoneFacts.Unknown => ()
  }

  /** A saturated bound may stand for any value beyond a long. */
  def mayChange(bounds: ZoneFacts, zone: Int): Boolean = bounds match {
    case numbers: ZoneFacts.Numbers =>
      val key = NumberBound.of(numbers, zone, end)
      found.length == 0 || isBefore(key >> 63 ^ mask, key ^ mask) || !keys.tells(key)
    case _: ZoneFacts.Bytes | ZoneFacts.Unknown => true
  }

  def compare(bounds: ZoneFacts, zone: Int, others: ZoneFacts, other: Int): Int = (bounds, others) match {
    case (a: ZoneFacts.Numbers, b: ZoneFacts.Numbers) =>
      java.lang.Long.compare(NumberBound.of(a, zone, end) ^ mask, NumberBound.of(b, other, end) ^ mask)
    case (_: ZoneFacts.Numbers | _: ZoneFacts.Bytes | ZoneFacts.Unknown, _) => 0
  }
}

/** The bound of a zone at one end. */
private object NumberBound {

  /** Returns the bound, ignoring NaNs. */
  def of(bounds: ZoneFacts.Numbers, zone: Int, end: End): Long = end match {
    case End.Least => bounds.least(zone)
    case End.Greatest => bounds.most(zone)
  }

  def isTold(bounds: ZoneFacts.Numbers, zone: Int, end: End): Boolean = end match {
    case End.Least => bounds.exactness.least(zone)
    case End.Greatest => bounds.exactness.most(zone)
  }

  /** Whether the extreme is NaN, which is the minimum only if there is nothing else. */
  def isNan(bounds: ZoneFacts.Numbers, zone: Int, end: End): Boolean = bounds.nans(zone) > 0 &&
    (end match {
      case End.Least => bounds.least(zone) > bounds.most(zone)
      case End.Greatest => true
    })
}
