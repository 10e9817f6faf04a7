package io.sparklance.dataset.schemachange

import java.math.BigInteger

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.data.{
  Column,
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBytesBlock,
  FixedSizeListBlock,
  Halves,
  NullMask,
  ValueShape
}
import io.sparklance.schema.LogicalType._
import io.sparklance.schema.{LogicalType, TimeUnit}

class ValueCastSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  /** The values that did not fit, and where they stood. */
  final private class Found extends LossyValueHandler {
    var all = Vector.empty[(String, Int)]
    override def found(value: String, at: Int): Unit = all :+= (value -> at)
  }

  private def word(bits: Int): DataBlock = DataBlock.forShape(ValueShape.FixedWidth(bits))

  private def put(block: DataBlock, value: Long): Unit = block match {
    case b: Fixed8Block => b.append(value.toByte)
    case b: Fixed16Block => b.append(value.toShort)
    case b: Fixed32Block => b.append(value.toInt)
    case b: Fixed64Block => b.append(value)
    case other => fail(other.toString)
  }

  private def bitsAt(block: DataBlock, i: Int): Long = block match {
    case b: Fixed8Block => b.values(i).toLong
    case b: Fixed16Block => b.values(i).toLong
    case b: Fixed32Block => b.values(i).toLong
    case b: Fixed64Block => b.values(i)
    case other => fail(other.toString)
  }

  /** Casts words. Returns the results, and the positions of those that do not fit. */
  private def cast(
      from: LogicalType,
      fromBits: Int,
      to: LogicalType,
      toBits: Int
  )(values: Long*): (Seq[Long], Seq[Int]) = {
    val (source, target, found) = (word(fromBits), word(toBits), new Found)
    values.foreach(put(source, _))
    val nulls = new NullMask
    nulls.appendValid(values.size)
    val made = ValueCast.of(from, to).getOrElse(fail(s"no cast from $from to $to"))
    made.append(new Column(source, nulls), 0, values.size, target, found)
    (values.indices.map(bitsAt(target, _)), found.all.map(_._2))
  }

  private val integers =
    for (bits <- Vector(8, 16, 32, 64); signed <- Vector(true, false)) yield Integer(bits, signed)

  private def number(bits: Int, signed: Boolean, word: Long): BigInteger = {
    val unsigned =
      new BigInteger(java.lang.Long.toUnsignedString(if (bits == 64) word else word & (1L << bits) - 1))
    if (signed && unsigned.testBit(bits - 1)) unsigned.subtract(BigInteger.ONE.shiftLeft(bits)) else unsigned
  }

  test("integers of all widths become each other's if they are in both, and are lossy if not") {
    val edges =
      for (bits <- Seq(0, 7, 8, 15, 16, 31, 32, 63); off <- Seq(-1L, 0L, 1L)) yield (1L << bits) + off
    val words = Gen.oneOf(Gen.oneOf(edges ++ edges.map(-_)), Gen.long)
    for (from <- integers; to <- integers) forAll(words, minSuccessful(40)) { word =>
      val exact = number(from.bits, from.signed, word)
      val least = if (to.signed) BigInteger.ONE.shiftLeft(to.bits - 1).negate else BigInteger.ZERO
      val end = BigInteger.ONE.shiftLeft(if (to.signed) to.bits - 1 else to.bits)
      val fits = exact.compareTo(least) >= 0 && exact.compareTo(end) < 0
      val (Seq(made), lossy) = cast(from, from.bits, to, to.bits)(word): @unchecked
      assert(lossy.isEmpty == fits, s"$exact from $from to $to")
      if (fits) assert(number(to.bits, to.signed, made) == exact, s"from $from to $to")
    }
  }

  test("times are counted in other units as long as none of them is lost") {
    val (s, ns) = (Timestamp(TimeUnit.Second, None), Timestamp(TimeUnit.Nanosecond, None))
    assert(cast(s, 64, ns, 64)(3L, -2L, 9223372036L) ==
      ((Seq(3000000000L, -2000000000L, 9223372036000000000L), Nil)))
    assert(cast(s, 64, ns, 64)(9223372037L, Long.MinValue)._2 == Seq(0, 1))
    assert(cast(ns, 64, s, 64)(5000000000L, -1000000000L) == ((Seq(5L, -1L), Nil)))
    assert(cast(ns, 64, s, 64)(1L, 1000000001L)._2 == Seq(0, 1))
    assert(cast(Date32, 32, Date64, 64)(-1L, 20000L) == ((Seq(-86400000L, 1728000000000L), Nil)))
    assert(cast(Date64, 64, Date32, 32)(86400000L) == ((Seq(1L), Nil)))
    assert(cast(Date64, 64, Date32, 32)(86400001L)._2 == Seq(0))
    assert(cast(Date32, 32, ns, 64)(1L) == ((Seq(86400000000000L), Nil)))
    assert(cast(Time(TimeUnit.Second), 32, Time(TimeUnit.Microsecond), 64)(86399L) ==
      ((Seq(86399000000L), Nil)))
    assert(ValueCast.of(ns, Timestamp(TimeUnit.Nanosecond, Some("UTC"))).isEmpty)
  }

  test("floats are rounded to the nearest, halves to those with an even fraction if there are two") {
    def half(value: Double): Int = Halves.bits(value)
    assert(Seq(0.0, 1.0, -2.0, 65504.0, 65519.99, 5.960464477539063e-8, 0.1).map(half) ==
      Seq(0x0000, 0x3c00, 0xc000, 0x7bff, 0x7bff, 0x0001, 0x2e66))
    assert(Seq(65520.0, Double.PositiveInfinity, Double.NegativeInfinity, Double.NaN, -0.0).map(half) ==
      Seq(0x7c00, 0x7c00, 0xfc00, 0x7e00, 0x8000))
    // Between two halves, the largest one below the normal ones, and what is rounded up into these.
    assert(Seq(1.00048828125, 1.00146484375, 6.097555160522461e-5, 6.102e-5, 2.98e-8, 2.981e-8).map(half) ==
      Seq(0x3c00, 0x3c02, 0x03ff, 0x0400, 0x0000, 0x0001))
    (0 to 0xffff).filter(bits => (bits & 0x7c00) != 0x7c00 || (bits & 0x3ff) == 0).foreach { bits =>
      assert(Halves.bits(Halves.number(bits)) == bits)
    }
  }

  test("floats that the narrower type lacks are lossy") {
    val (kept, rounded) = (
      Seq(1.5, -0.0, Double.NaN, Double.NegativeInfinity, 65504.0, 5.960464477539063e-8),
      Seq(0.1, 1e39, Double.MinPositiveValue, Double.MaxValue, 1.0 / 3, 16777217.0)
    )
    // Floats have more of these than halves.
    val ofFloats = Seq(-7e4, 1.00048828125, 16777216.0)
    val all = kept ++ ofFloats ++ rounded
    val source = new Fixed64Block
    all.foreach(x => source.append(java.lang.Double.doubleToRawLongBits(x)))
    val nulls = new NullMask
    nulls.appendValid(all.size)
    def lossy(to: Int): Seq[Int] = {
      val found = new Found
      ValueCast.of(FloatingPoint(64), FloatingPoint(to))
        .foreach(_.append(new Column(source, nulls), 0, all.size, word(to), found))
      found.all.map(_._2)
    }
    assert(lossy(64).isEmpty)
    assert(lossy(32) == (kept.size + ofFloats.size until all.size))
    assert(lossy(16) == (kept.size until all.size))
  }

  test("decimals change scale, precision and width unless digits are lost") {
    val decimals =
      Gen.zip(Gen.choose(-(1L << 60), 1L << 60), Gen.choose(0, 6), Gen.choose(0, 6), Gen.oneOf(128, 256))
    forAll(decimals) { case (unscaled, a, b, bits) =>
      val source = new FixedBytesBlock(16)
      val at = source.extend(1)
      (0 until 16).foreach(i => source.bytes(16 * at + i) = (unscaled >> math.min(63, 8 * i)).toByte)
      val (target, nulls, found) = (new FixedBytesBlock(bits / 8), new NullMask, new Found)
      nulls.appendValid(1)
      ValueCast.of(
        Decimal(128, 38, a),
        Decimal(bits, 19, b)
      ).foreach(_.append(new Column(source, nulls), 0, 1, target, found))
      val exact = new java.math.BigDecimal(BigInteger.valueOf(unscaled), a).stripTrailingZeros
      val fits = exact.scale <= b && (exact.signum == 0 || exact.precision - exact.scale <= 19 - b)
      assert(found.all.isEmpty == fits)
      val made = new BigInteger(target.bytes.take(target.width).reverse)
      if (fits) assert(new java.math.BigDecimal(made, b).compareTo(exact) == 0)
    }
  }

  test("values below nulls always fit") {
    val source = new Fixed32Block
    Seq(1000, 1, 1000).foreach(source.append)
    val nulls = new NullMask
    nulls.appendNull(1)
    nulls.appendValid(2)
    val found = new Found
    ValueCast.of(Integer(32, signed = true), Integer(8, signed = true))
      .foreach(_.append(new Column(source, nulls), 0, 3, new Fixed8Block, found))
    assert(found.all == Vector("1000" -> 2))
  }

  test("items of vectors are cast, and those of null vectors fit") {
    val source = new FixedSizeListBlock(2, new Fixed32Block)
    val items = source.items.asInstanceOf[Fixed32Block]
    Seq(1f, 2f, 1e9f, 1e9f, 3f, 1e9f).foreach(x => items.append(java.lang.Float.floatToRawIntBits(x)))
    source.advance(3)
    val nulls = new NullMask
    nulls.appendValid(1)
    nulls.appendNull(1)
    nulls.appendValid(1)
    val (target, found) = (new FixedSizeListBlock(2, new Fixed16Block), new Found)
    val (from, to) = (FixedSizeList(FloatingPoint(32), 2), FixedSizeList(FloatingPoint(16), 2))
    ValueCast.of(from, to).foreach(_.append(new Column(source, nulls), 0, 3, target, found))
    assert(found.all == Vector("1.0E9" -> 2) && target.length == 3)
    assert(target.items.asInstanceOf[Fixed16Block].values.take(2).toSeq == Seq(0x3c00, 0x4000))
  }

  test("values of one kind do not become those of another") {
    val kinds = Seq(
      Bool,
      Integer(32, signed = true),
      FloatingPoint(64),
      Utf8(large = false),
      Binary(large = false),
      Date32,
      Decimal(128, 10, 2)
    )
    for (a <- kinds; b <- kinds if a != b) assert(ValueCast.of(a, b).isEmpty, s"$a to $b")
    assert(ValueCast.of(FixedSizeList(FloatingPoint(32), 2), FixedSizeList(FloatingPoint(32), 3)).isEmpty)
  }
}
