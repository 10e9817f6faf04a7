package io.sparklance.spark.write

import java.lang.Float.{floatToRawIntBits, intBitsToFloat}

import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types.Decimal
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.LanceUsageException
import io.sparklance.data.Column
import io.sparklance.encoding.logical.LeafColumn
import io.sparklance.schema.{Field, LogicalTypes}
import io.sparklance.spark.read.{ColumnVectors, LanceColumnVector}
import io.sparklance.spark.types.{LossyValues, ReadTypeOptions}

/** Values that Spark's rows have in other types than the table, at the boundaries of what the latter hold. */
final class AppendersSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  /** Appends values to a column of the type and returns them as shown. */
  private def stored(
      typeName: String,
      lossy: LossyValues = LossyValues.Fail
  )(values: Any*): LanceColumnVector = {
    val field = Field(0, "c", LogicalTypes.parse(typeName), nullable = true)
    val column: Column = LeafColumn.ofNulls(field)
    val appender = RowToBlocks.appender(field, column, (_, _) => fail("no blobs"))
    values.foreach(value => appender.append(new GenericInternalRow(Array[Any](value)), 0))
    val vector =
      ColumnVectors.of(
        field,
        ReadTypeOptions.default.copy(lossyValues = lossy),
        i => s"row $i",
        _ => fail("a blob")
      )
    vector.show(column)
    vector
  }

  private def refused(typeName: String, value: Any): String =
    intercept[LanceUsageException](stored(typeName)(value)).getMessage

  private val Infinity = 0x7f800000

  /** All floats that a type of 16 bits has, by their bits there. */
  private def all(widen: Int => Float): Vector[Float] = Vector.tabulate(0x10000)(widen)

  private val bfloats = all(bits => intBitsToFloat(bits << 16))
  private val halves = all { bits =>
    val (exponent, fraction) = (bits >> 10 & 31, bits & 0x3ff)
    val magnitude =
      if (exponent == 31) intBitsToFloat(Infinity | fraction << 13)
      else if (exponent == 0) (fraction * math.pow(2, -24)).toFloat
      else ((1024 + fraction) * math.pow(2, exponent - 25.0)).toFloat
    intBitsToFloat((bits & 0x8000) << 16 | floatToRawIntBits(magnitude))
  }

  for ((typeName, values) <- Seq("halffloat" -> halves, "lance.bfloat16" -> bfloats)) {
    test(s"every $typeName stays as it is, NaNs with their bits") {
      val shown = stored(typeName)(values: _*)
      values.indices.foreach { i =>
        assert(floatToRawIntBits(shown.getFloat(i)) == floatToRawIntBits(values(i)), s"of bits $i")
      }
    }

    test(s"floats become the nearest $typeName, of two equally near the even one") {
      val finite = values.filter(v => !v.isNaN && !v.isInfinite).distinct.sorted
      forAll(Gen.choose(0, finite.size - 2)) { i =>
        val (below, above) = (finite(i).toDouble, finite(i + 1).toDouble)
        val middle = ((below + above) / 2).toFloat
        val shown = stored(typeName)(middle, Math.nextDown(middle), Math.nextUp(middle))
        assert(shown.getFloat(1) == below.toFloat && shown.getFloat(2) == above.toFloat)
        val even = if ((values.indexOf(finite(i)) & 1) == 0) below else above
        assert(shown.getFloat(0) == even.toFloat)
      }
    }
  }

  test("floats that would become infinite are refused, infinities are not") {
    assert(stored("halffloat")(Math.nextDown(65520f)).getFloat(0) == 65504f)
    assert(refused(
      "halffloat",
      65520f
    ).contains("holds floats of 16 bits, but a row to be written has 65520.0"))
    assert(refused("lance.bfloat16", -Float.MaxValue).contains("floats of 16 bits"))
    for (typeName <- Seq("halffloat", "lance.bfloat16")) {
      val shown = stored(typeName)(Float.PositiveInfinity, Float.NegativeInfinity, Float.NaN)
      assert(shown.getFloat(0).isPosInfinity && shown.getFloat(1).isNegInfinity && shown.getFloat(2).isNaN)
    }
  }

  test("a NaN whose bits would all be cut off stays one") {
    val tiny = intBitsToFloat(0x7f800001)
    assert(Seq("halffloat", "lance.bfloat16").forall(stored(_)(tiny).getFloat(0).isNaN))
  }

  test("nanoseconds reach as far as 64 bits do") {
    val most = Long.MaxValue / 1000
    for (typeName <- Seq("timestamp:ns:UTC", "timestamp:ns:-", "duration:ns")) {
      val shown = stored(typeName)(most, -most, 0L)
      assert(Seq(0, 1, 2).map(shown.getLong) == Seq(most, -most, 0L))
      assert(refused(typeName, most + 1).contains(s"one of ${most + 1} µs"))
      assert(refused(typeName, -most - 1).contains("in nanoseconds"))
    }
  }

  test("durations of coarser units are whole ones of these") {
    assert(stored("duration:s")(-3000000L).getLong(0) == -3000000L)
    assert(refused("duration:ms", 100L).contains("a duration in units of 1000 µs"))
  }

  test("times of day are within a day") {
    for ((unit, perDay) <- Seq("32:s" -> 86400L, "32:ms" -> 86400000L, "64:ns" -> 86400000000000L)) {
      val typeName = s"time$unit"
      assert(Seq(0L, perDay - 1).forall(value => stored(typeName)(value).getLong(0) == value))
      assert(Seq(-1L, perDay).forall(refused(typeName, _).contains(s"from 0 to ${perDay - 1}")))
    }
  }

  test("days are stored as milliseconds, all that Spark has") {
    val shown = stored("date64:ms")(Int.MaxValue, Int.MinValue, -1)
    assert(Seq(0, 1, 2).map(shown.getInt) == Seq(Int.MaxValue, Int.MinValue, -1))
  }

  test("decimals of any width and scale keep their value, or are refused") {
    def decimal(text: String): Decimal = Decimal(new java.math.BigDecimal(text))
    assert(stored("decimal:128:5:-2")(decimal("-1234500")).getDecimal(0, 7, 0).toString == "-1234500")
    assert(refused("decimal:128:5:-2", decimal("150")).contains("has 150"))
    assert(refused("decimal:128:5:-2", decimal("10000000")).contains("decimals of 5 digits and scale -2"))
    assert(stored("decimal:256:40:2")(decimal("-0.01")).getDecimal(0, 38, 2).toString == "-0.01")
    assert(stored("decimal:128:2:4")(decimal("0.0099")).getDecimal(0, 4, 4).toString == "0.0099")
    assert(refused("decimal:128:2:4", decimal("0.0100")).contains("has 0.0100"))
  }

  test("byte strings of one length have that length") {
    for (width <- Seq(1, 2, 4, 8, 3, 16)) {
      val bytes = Array.tabulate(width)(i => (0xf0 + i).toByte)
      assert(stored(s"fixed_size_binary:$width")(bytes).getBinary(0).sameElements(bytes))
      assert(refused(s"fixed_size_binary:$width", bytes :+ 0.toByte).contains(s"byte strings of $width"))
    }
  }

  test("a column of nulls takes nothing else") {
    assert(stored("null")(null, null).isNullAt(1))
    assert(refused("null", 1).contains("holds nulls only"))
  }
}
