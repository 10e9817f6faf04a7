package io.sparklance.dataset.grouping

import java.math.BigInteger
import java.util.Arrays

import io.sparklance.data.{Column, Fixed64Block, FixedBytesBlock, LittleEndian}

/** Sums of integers or decimals. A group's sum is a long within the limits of the result's type. When the
  * next value would exceed them, the sum goes to the wide sums, and so does a value that exceeds them itself.
  */
final private class ExactSum(node: ExactNode, kind: ExactSum.Kind) extends Accumulator {
  private val limit = kind.limit
  private var sums = new Array[Long](16)
  private var hasValue = new Array[Boolean](sums.length)
  private val spill = new Spill
  private val wide = new WideSums(kind.greatest, spill)
  override def spilled: Spill = spill
  override def finish(): Unit = wide.spillAll()

  def reserve(groups: Int): Unit = if (groups > sums.length) {
    sums = Arrays.copyOf(sums, Accumulator.grown(sums.length, groups))
    hasValue = Arrays.copyOf(hasValue, sums.length)
  }

  def add(batch: LeafBatch, groups: Array[Int]): Unit = {
    val values = node.of(batch)
    if (values.isWide) addWide(values, groups, batch.rows)
    else if (values.nulls == null) addAll(values.longs, groups, batch.rows)
    else addValid(values.longs, values.nulls, groups, batch.rows)
  }

  private def addAll(values: Array[Long], groups: Array[Int], rows: Int): Unit = {
    val (sums, hasValue) = (this.sums, this.hasValue)
    val limit = this.limit
    var i = 0
    while (i < rows) {
      val group = groups(i)
      val value = values(i)
      val old = sums(group)
      val sum = old + value
      hasValue(group) = true
      sums(group) = sum
      if (((old ^ sum) & (value ^ sum)) < 0 || sum > limit || sum < -limit) exceed(group, old, value)
      i += 1
    }
  }

  private def addValid(values: Array[Long], nulls: Array[Boolean], groups: Array[Int], rows: Int): Unit = {
    var i = 0
    while (i < rows) {
      if (!nulls(i)) {
        val group = groups(i)
        val value = values(i)
        val old = sums(group)
        val sum = old + value
        hasValue(group) = true
        sums(group) = sum
        if (((old ^ sum) & (value ^ sum)) < 0 || sum > limit || sum < -limit) exceed(group, old, value)
      }
      i += 1
    }
  }

  private def exceed(group: Int, old: Long, value: Long): Unit = {
    wide.add(group, BigInteger.valueOf(old))
    if (value > limit || value < -limit) {
      wide.add(group, BigInteger.valueOf(value))
      sums(group) = 0
    } else sums(group) = value
  }

  private def addWide(values: ExactValues, groups: Array[Int], rows: Int): Unit = {
    var i = 0
    while (i < rows) {
      if (values.nulls == null || !values.nulls(i)) {
        wide.add(groups(i), kind.checked(values.wide(i)))
        hasValue(groups(i)) = true
      }
      i += 1
    }
  }

  def append(groups: Array[Int], n: Int, to: Column): Unit = {
    var i = 0
    while (i < n) {
      if (hasValue(groups(i))) {
        ExactSum.append(sums(groups(i)), to)
        to.nulls.appendValid(1)
      } else to.appendNulls(1)
      i += 1
    }
  }

  def appendNeutral(n: Int, to: Column): Unit = to.appendNulls(n)

  def clear(groups: Int): Unit = {
    Arrays.fill(sums, 0, groups, 0L)
    Arrays.fill(hasValue, 0, groups, false)
    spill.clear()
  }
}

private object ExactSum {

  sealed trait Kind {

    /** The greatest absolute value of the result's type. */
    def greatest: BigInteger

    /** The greatest absolute value of a sum that is a long. */
    def limit: Long

    /** Returns a value that exceeds a long, if the result's type can hold it. */
    def checked(value: BigInteger): BigInteger
  }

  case object Integers extends Kind {
    def greatest: BigInteger = BigInteger.valueOf(Long.MaxValue)
    def limit: Long = Long.MaxValue
    def checked(value: BigInteger): BigInteger =
      throw new IllegalStateException(s"the integer $value has more than 64 bits")
  }

  final case class Decimals(digits: Int) extends Kind {
    val greatest: BigInteger = BigInteger.TEN.pow(digits).subtract(BigInteger.ONE)
    def limit: Long = greatest.min(BigInteger.TEN.pow(18)).longValue
    def checked(value: BigInteger): BigInteger =
      if (value.abs.compareTo(greatest) <= 0) value
      else
        throw new ArithmeticException(
          s"a decimal exceeds $digits digits: $value, without its point; cast an operand to a shorter decimal"
        )
  }

  private def append(sum: Long, to: Column): Unit = to.values match {
    case longs: Fixed64Block => longs.append(sum)
    case decimals: FixedBytesBlock =>
      val at = 16 * decimals.extend(1)
      LittleEndian.putLong(decimals.bytes, at, sum)
      LittleEndian.putLong(decimals.bytes, at + 8, sum >> 63)
    case other => throw new IllegalStateException(s"no sums: ${other.getClass}")
  }

  /** Appends a spilled sum. Sums of integers have 64 bits. */
  def appendSpilled(spill: Spill, index: Int, to: Column): Unit = {
    to.values match {
      case longs: Fixed64Block => longs.append(LittleEndian.long(spill.sums, 16 * index))
      case decimals: FixedBytesBlock =>
        val at = 16 * decimals.extend(1)
        System.arraycopy(spill.sums, 16 * index, decimals.bytes, at, 16)
      case other => throw new IllegalStateException(s"no sums: ${other.getClass}")
    }
    to.nulls.appendValid(1)
  }
}

/** Sums of doubles, added in the order of the rows. */
final private class FloatingSum(node: FloatingNode) extends Accumulator {
  private var sums = new Array[Double](16)
  private var hasValue = new Array[Boolean](sums.length)

  def reserve(groups: Int): Unit = if (groups > sums.length) {
    sums = Arrays.copyOf(sums, Accumulator.grown(sums.length, groups))
    hasValue = Arrays.copyOf(hasValue, sums.length)
  }

  def add(batch: LeafBatch, groups: Array[Int]): Unit = {
    val values = node.of(batch)
    val doubles = values.doubles
    val nulls = values.nulls
    val rows = batch.rows
    var i = 0
    while (i < rows) {
      if (nulls == null || !nulls(i)) {
        sums(groups(i)) += doubles(i)
        hasValue(groups(i)) = true
      }
      i += 1
    }
  }

  def append(groups: Array[Int], n: Int, to: Column): Unit = {
    val block = to.values.asInstanceOf[Fixed64Block]
    var i = 0
    while (i < n) {
      if (hasValue(groups(i))) {
        block.append(java.lang.Double.doubleToRawLongBits(sums(groups(i))))
        to.nulls.appendValid(1)
      } else to.appendNulls(1)
      i += 1
    }
  }

  def appendNeutral(n: Int, to: Column): Unit = to.appendNulls(n)

  def clear(groups: Int): Unit = {
    Arrays.fill(sums, 0, groups, 0.0)
    Arrays.fill(hasValue, 0, groups, false)
  }
}

/** Sums of groups that exceed a long.
  *
  * @param greatest
  *   the greatest absolute value of a sum
  * @param spill
  *   gets a sum to which the next value cannot be added
  */
final private class WideSums(greatest: BigInteger, spill: Spill) {
  // Null for groups without one.
  private var sums = new Array[BigInteger](0)

  def add(group: Int, value: BigInteger): Unit = {
    if (group >= sums.length) sums = Arrays.copyOf(sums, Accumulator.grown(sums.length, group + 1))
    val old = sums(group)
    if (old == null) sums(group) = value
    else {
      val sum = old.add(value)
      if (sum.abs.compareTo(greatest) <= 0) sums(group) = sum
      else {
        spill.add(group, old)
        sums(group) = value
      }
    }
  }

  /** Spills all sums. */
  def spillAll(): Unit = {
    var group = 0
    while (group < sums.length) {
      if (sums(group) != null) spill.add(group, sums(group))
      sums(group) = null
      group += 1
    }
  }
}
