package io.sparklance.spark.read

import java.math.BigInteger
import java.util.HexFormat

import scala.reflect.ClassTag

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.types.{DayTimeIntervalType, DecimalType}
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{
  Column,
  Fixed16Block,
  Fixed64Block,
  Fixed8Block,
  FixedBytesBlock,
  NullMask,
  VariableBlock
}
import io.sparklance.schema.{Field, LogicalTypes}
import io.sparklance.spark.types.{BlobHandling, LossyValues, ReadTypeOptions}
import io.sparklance.{LanceFormatException, LanceUsageException, UnsupportedLanceFeatureException}

/** Types that Spark has no equal of, at the boundaries of what it can hold. */
final class ForeignVectorsSuite extends AnyFunSuite {
  private def vector(
      text: String,
      column: Column,
      lossy: LossyValues = LossyValues.Fail
  ): LanceColumnVector = {
    val field = Field(0, "c", LogicalTypes.parse(text), nullable = true)
    val vector = ColumnVectors.of(
      field,
      ReadTypeOptions(lossy, BlobHandling.Descriptors),
      row => s"row $row",
      _ => fail("a blob")
    )
    vector.show(column)
    vector
  }

  private def shorts(bits: Int*): Column = {
    val block = new Fixed16Block
    bits.foreach(b => block.append(b.toShort))
    valid(block)
  }

  private def longs(values: Long*): Column = {
    val block = new Fixed64Block
    values.foreach(block.append)
    valid(block)
  }

  private def valid(block: io.sparklance.data.DataBlock): Column = {
    val nulls = new NullMask
    nulls.appendValid(block.length)
    new Column(block, nulls)
  }

  private def message(body: => Any): String = cause[LanceUsageException](body).getMessage

  /** Spark gets an exception of its own kind; ours is the cause. */
  private def cause[E <: Throwable: ClassTag](body: => Any): E =
    intercept[Exception with SparkThrowable](body).getCause match {
      case found: E => found
      case other => fail(other)
    }

  test("every half float is the float of the same value, and NaNs keep their bits") {
    val all = vector("halffloat", shorts((0 to 0xffff): _*))
    (0 to 0xffff).foreach { bits =>
      val shown = all.getFloat(bits)
      val (exponent, fraction) = (bits >> 10 & 31, bits & 0x3ff)
      val sign = if (bits >> 15 == 0) 1.0 else -1.0
      if (exponent == 31 && fraction != 0) {
        assert(java.lang.Float.floatToRawIntBits(shown) >>> 13 == ((bits & 0x8000) << 3 | 0x3fc00 | fraction))
      } else {
        val magnitude =
          if (exponent == 31) Double.PositiveInfinity
          else if (exponent == 0) fraction * math.pow(2, -24)
          else (1024 + fraction) * math.pow(2, exponent - 25.0)
        assert(shown.toDouble.equals(sign * magnitude), s"of bits $bits")
      }
    }
  }

  test("a bfloat16 is the upper half of a float") {
    val shown = vector("lance.bfloat16", shorts(0x3fc0, 0x8000, 0xff80, 0x0001))
    assert(shown.getFloats(0, 4).toSeq == Seq(1.5f, -0f, Float.NegativeInfinity, 9.18355e-41f))
  }

  test("nanoseconds are whole microseconds, or refused, or cut off towards the past") {
    val values = longs(1000, -1000, 999, -1, Long.MaxValue, Long.MinValue)
    val strict = vector("timestamp:ns:-", values)
    assert(Seq(0, 1).map(strict.getLong) == Seq(1L, -1L))
    assert(message(strict.getLong(2)).startsWith("Column 'c' holds 999 ns in row 2, which Spark's type"))
    assert(message(strict.getLong(3)).contains("-1 ns in row 3"))
    val cut = vector("timestamp:ns:-", values, LossyValues.Truncate)
    assert((2 to 5).map(cut.getLong) == Seq(0L, -1L, 9223372036854775L, -9223372036854776L))
    assert(vector("timestamp:ns:-", values, LossyValues.Raw).getLong(3) == -1)
  }

  test("seconds and milliseconds beyond the range of microseconds are refused, with their row") {
    val most = Long.MaxValue / 1000000
    val shown = vector("duration:s", longs(most, -most, most + 1, Long.MinValue))
    assert(Seq(0, 1).map(shown.getLong) == Seq(most * 1000000, -most * 1000000))
    assert(message(shown.getLong(2)).contains(s"${most + 1} units of 1000000 µs in row 2"))
    assert(message(shown.getLong(3)).contains(DayTimeIntervalType().sql))
  }

  test("the value below a null is never refused") {
    val column = longs(1, Long.MaxValue)
    val nulls = new NullMask
    nulls.appendNull(2)
    Seq("timestamp:ns:-", "timestamp:s:-", "duration:ns").foreach { text =>
      assert(vector(text, new Column(column.values, nulls)).getLong(1) == 0)
    }
    assert(vector("date64:ms", new Column(column.values, nulls)).getInt(1) == 0)
  }

  test("milliseconds are whole days, or refused, or cut off towards the past") {
    val day = 86400000L
    val far = day * (Int.MaxValue + 1L)
    val values = longs(day, -day, -1, far)
    val strict = vector("date64:ms", values)
    assert(Seq(0, 1).map(strict.getInt) == Seq(1, -1))
    assert(message(strict.getInt(2)).contains("-1 ms since 1970 in row 2"))
    assert(message(strict.getInt(3)).contains(s"$far ms since 1970 in row 3"))
    assert(vector("date64:ms", values, LossyValues.Truncate).getInt(2) == -1)
    assert(vector("date64:ms", values, LossyValues.Raw).getLong(2) == -1)
  }

  private def decimals(width: Int, unscaled: String*): Column = {
    val block = new FixedBytesBlock(width)
    unscaled.foreach { text =>
      val value = new BigInteger(text)
      val at = width * block.extend(1)
      (0 until width).foreach(i => block.bytes(at + i) = value.shiftRight(8 * i).byteValue)
    }
    valid(block)
  }

  test("decimals of 256 bits are shown to their last digit, and refused when they have more than 38") {
    val (most, above) = ("9" * 38, "1" + "0" * 38)
    val shown = vector("decimal:256:40:2", decimals(32, most, s"-$most", above, "-1"))
    assert(shown.dataType() == DecimalType(38, 2))
    assert(shown.getDecimal(0, 38, 2).toJavaBigDecimal.unscaledValue == new BigInteger(most))
    assert(shown.getDecimal(1, 38, 2).toJavaBigDecimal.unscaledValue == new BigInteger(s"-$most"))
    assert(shown.getDecimal(3, 38, 2).toString == "-0.01")
    assert(message(shown.getDecimal(2, 38, 2)).contains(s"1${"0" * 36}.00 in row 2"))
    val raw = vector("decimal:256:40:2", decimals(32, above), LossyValues.Raw)
    assert(raw.getUTF8String(0).toString == s"1${"0" * 36}.00")
  }

  test("digits behind the 38th of a fraction are refused, or cut off") {
    val values = decimals(32, "1" + "0" * 32, "-19")
    val shown = vector("decimal:256:76:39", values).getDecimal(0, 38, 38).toJavaBigDecimal
    assert(shown.compareTo(new java.math.BigDecimal("1E-7")) == 0)
    assert(message(vector("decimal:256:76:39", values).getDecimal(1, 38, 38)).contains("-1.9E-38 in row 1"))
    val cut = vector("decimal:256:76:39", values, LossyValues.Truncate)
    assert(cut.getDecimal(1, 38, 38).toString == "-1E-38")
  }

  test("decimals with scales that Spark lacks are shown with the nearest") {
    assert(vector("decimal:128:10:-2", decimals(16, "-123")).getDecimal(0, 12, 0).toString == "-12300")
    assert(vector("decimal:128:2:4", decimals(16, "99")).getDecimal(0, 4, 4).toString == "0.0099")
  }

  test("fixed-size binary of every width is its bytes") {
    Seq(1, 2, 3, 4, 8, 16).foreach { width =>
      val field = Field(0, "c", LogicalTypes.parse(s"fixed_size_binary:$width"), nullable = true)
      val wanted = Array.tabulate(width)(i => (0x80 + i).toByte)
      val word = new BigInteger(1, wanted.reverse).longValue
      val column = Column.forShape(io.sparklance.data.ValueShape.FixedWidth(8 * width))
      column.values match {
        case b: Fixed8Block => b.append(word.toByte)
        case b: Fixed16Block => b.append(word.toShort)
        case b: io.sparklance.data.Fixed32Block => b.append(word.toInt)
        case b: Fixed64Block => b.append(word)
        case b: FixedBytesBlock => val _ = b.extend(1); System.arraycopy(wanted, 0, b.bytes, 0, width)
        case other => fail(s"$field in $other")
      }
      column.nulls.appendValid(1)
      assert(vector(s"fixed_size_binary:$width", column).getBinary(0).sameElements(wanted))
    }
  }

  test("broken JSONB is refused with column and row") {
    val block = new VariableBlock
    block.append(Array[Byte](1, 2, 3), 0, 3)
    val shown = vector("json", valid(block))
    assert(
      cause[LanceFormatException](shown.getUTF8String(0)).getMessage ==
        "JSONB ends 1 bytes early in row 0 (column c)"
    )
  }

  test("JSONB of a kind that is not known is refused by name, with column and row") {
    val block = new VariableBlock
    val extension = HexFormat.of.parseHex("20000000" + "60000001" + "50")
    block.append(extension, 0, extension.length)
    val shown = vector("json", valid(block))
    val error = cause[UnsupportedLanceFeatureException](shown.getUTF8String(0))
    assert(error.feature == "a JSONB extension of kind 80 in row 0")
    assert(error.location.column.contains("c"))
  }
}
