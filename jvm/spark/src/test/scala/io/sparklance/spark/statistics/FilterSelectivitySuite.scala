package io.sparklance.spark.statistics

import org.apache.spark.sql.connector.expressions.Expressions
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.scalatest.funsuite.AnyFunSuite

final class FilterSelectivitySuite extends AnyFunSuite {
  private val numbers = KnownColumn(ValueCounts(100, 20, 10), ValueSizes(4, 4), Some((0, 50)))
  private val texts = KnownColumn(ValueCounts(100, 0, 4), ValueSizes(4, 4), None)
  private val selectivity = new FilterSelectivity(Map("n" -> numbers, "t" -> texts))

  private def on(name: String, column: String, values: Any*) =
    new Predicate(name, (Expressions.column(column) +: values.map(Expressions.literal(_))).toArray)
  private def of(name: String, parts: Predicate*) = new Predicate(name, parts.toArray)
  private def share(predicate: Predicate) = math.round(selectivity.of(predicate) * 1000) / 1000.0

  test("comparisons are judged by bounds, equality by the number of distinct values") {
    assert(share(on("<", "n", 10)) == 0.2)
    assert(share(on(">=", "n", 10)) == 0.8)
    assert(share(on("<", "n", -1)) == 0 && share(on("<=", "n", 99)) == 1 && share(on(">", "n", 99)) == 0)
    assert(share(on("=", "n", 7)) == 0.1 && share(on("=", "n", 51)) == 0 && share(on("<>", "n", 7)) == 0.9)
    assert(share(on("=", "t", "x")) == 0.25 && share(on("IN", "t", "x", "y")) == 0.5)
    assert(share(on("IN", "t", "a", "b", "c", "d", "e")) == 1)
    assert(share(on("IS_NULL", "n")) == 0.2 && share(on("IS_NOT_NULL", "n")) == 0.8)
  }

  test("conditions combine like independent ones") {
    val (fifth, quarter) = (on("<", "n", 10), on("=", "t", "x"))
    assert(share(of("AND", fifth, quarter)) == 0.05)
    assert(share(of("OR", fifth, quarter)) == 0.4)
    assert(share(of("NOT", of("OR", fifth, quarter))) == 0.6)
    assert(share(of("ALWAYS_FALSE")) == 0 && share(of("ALWAYS_TRUE")) == 1)
  }

  test("unknown columns and conditions without statistics keep all rows, negated or not") {
    for (
      unknown <- Seq(on("<", "t", "x"), on("=", "other", 1), on("STARTS_WITH", "t", "x"), on("<", "other", 1))
    ) {
      assert(share(unknown) == 1)
      assert(share(of("NOT", unknown)) == 1)
      assert(share(of("NOT", of("AND", unknown, on("<", "n", 10)))) == 1)
    }
  }

  test("bounds and literals that are not finite tell nothing") {
    def known(from: Double, to: Double) =
      KnownColumn(ValueCounts(100, 0, 10), ValueSizes(8, 8), Some((from, to)))
    for {
      (from, to) <- Seq(
        (0.0, Double.NaN),
        (Double.NaN, Double.NaN),
        (0.0, Double.PositiveInfinity),
        (Double.NegativeInfinity, 0.0),
        (-Double.MaxValue, Double.MaxValue),
        (0.0, 50.0)
      )
      value <- if (to == 50) Seq(Double.NaN) else Seq(5.0, Double.NaN, Double.PositiveInfinity)
      name <- Seq("<", "<=", ">", ">=")
    } withClue(s"$name $value between $from and $to") {
      assert(new FilterSelectivity(Map("n" -> known(from, to))).of(on(name, "n", value)) == 1)
    }
  }
}
