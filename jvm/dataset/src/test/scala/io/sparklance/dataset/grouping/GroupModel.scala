package io.sparklance.dataset.grouping

import io.sparklance.data.Column
import io.sparklance.dataset.statistics.End
import io.sparklance.schema.LogicalType.{Decimal, FloatingPoint, Integer}
import io.sparklance.schema.{Leaf, LogicalType}
import io.sparklance.testkit.Blocks

/** Groups and aggregates, computed row by row, and from the partial results of a reader. An answer is a
  * BigInt, or the bits of a double.
  */
private[grouping] object GroupModel {
  import GroupTables.{Row, Value, undecimal, valueOf}

  type Groups = Map[Vector[Value], Vector[Value]]

  def expected(grouping: Grouping, rows: Seq[Row]): Groups = {
    val groups = rows.groupBy(row => grouping.keys.map(leaf => valueOf(leaf, row).map(normal(leaf, _))))
    val all = if (grouping.keys.isEmpty && rows.isEmpty) Map(Vector.empty -> Seq.empty) else groups
    all.map { case (key, some) => key -> grouping.aggregates.map(of(_, some)) }
  }

  /** Partial results in the columns of a reader. */
  def partials(
      grouping: Grouping,
      columns: Vector[Column],
      n: Int
  ): Vector[(Vector[Value], Vector[Value])] = {
    val rows = columns.map(Blocks.rows)
    assert(rows.forall(_.size == n) && columns.forall(_.nulls.length == n))
    (0 until n).toVector.map { i =>
      val (keys, answers) = rows.map(_(i)).splitAt(grouping.keys.size)
      keys -> grouping.aggregates.zip(answers).map { case (aggregate, answer) =>
        answer.map(answerOf(aggregate, _))
      }
    }
  }

  def combined(grouping: Grouping, partials: Seq[(Vector[Value], Vector[Value])]): Groups =
    partials.groupMapReduce(_._1)(_._2) { (a, b) =>
      grouping.aggregates.zip(a.zip(b)).map { case (aggregate, (x, y)) => combine(aggregate, x, y) }
    }

  def numberOf(leaf: Leaf, value: Any): BigInt = (leaf.field.logicalType, value) match {
    case (Integer(bits, false), v: Long) if bits < 64 => BigInt(v) & ((BigInt(1) << bits) - 1)
    case (Integer(_, false), v: Long) => BigInt(java.lang.Long.toUnsignedString(v))
    case (_: Decimal, v) => undecimal(v)
    case (_, v: Long) => BigInt(v)
    case _ => throw new IllegalArgumentException(s"$value of ${leaf.name}")
  }

  /** The exact value of a term, in units of its scale. */
  def exact(term: NumericTerm.Exact, row: Row): Option[BigInt] = term match {
    case NumericTerm.ExactLeaf(leaf, _, _) => valueOf(leaf, row).map(numberOf(leaf, _))
    case NumericTerm.ExactConstant(unscaled, _, _) => Some(BigInt(unscaled))
    case NumericTerm.Rescaled(inner, _, scale) =>
      exact(inner, row).map(_ * BigInt(10).pow(scale - inner.scale))
    case NumericTerm.ExactOperation(operation, left, right, _, _) =>
      for (a <- exact(left, row); b <- exact(right, row)) yield operation match {
        case NumericTerm.Plus => a + b
        case NumericTerm.Minus => a - b
        case NumericTerm.Times => a * b
      }
  }

  private def floating(term: NumericTerm.Floating, row: Row): Option[Double] = term match {
    case NumericTerm.FloatingLeaf(leaf) => valueOf(leaf, row).map(doubleOf(leaf.field.logicalType, _))
    case NumericTerm.FloatingConstant(value) => Some(value)
    case NumericTerm.FloatingOperation(operation, left, right) =>
      for (a <- floating(left, row); b <- floating(right, row)) yield operation match {
        case NumericTerm.Plus => a + b
        case NumericTerm.Minus => a - b
        case NumericTerm.Times => a * b
      }
  }

  private def of(aggregate: GroupAggregate, rows: Seq[Row]): Value = aggregate match {
    case GroupAggregate.Rows => Some(BigInt(rows.size))
    case GroupAggregate.Values(leaf) => Some(BigInt(rows.count(valueOf(leaf, _).isDefined)))
    case GroupAggregate.IntegerSum(term) => rows.flatMap(exact(term, _)).reduceOption(_ + _)
    case GroupAggregate.DecimalSum(term) => rows.flatMap(exact(term, _)).reduceOption(_ + _)
    case GroupAggregate.FloatingSum(term) =>
      rows.flatMap(floating(term, _)).reduceOption(_ + _).map(sum => bits(sum + 0.0))
    case GroupAggregate.Outermost(leaf, _) =>
      rows.flatMap(valueOf(leaf, _)).map(v => Option(answerOf(aggregate, v)))
        .reduceOption(combine(aggregate, _, _)).flatten
  }

  private def answerOf(aggregate: GroupAggregate, value: Any): Any = (aggregate, value) match {
    case (GroupAggregate.Outermost(leaf, _), v) =>
      leaf.field.logicalType match {
        case floating: FloatingPoint => bits(doubleOf(floating, v))
        case _ => numberOf(leaf, v)
      }
    case (GroupAggregate.FloatingSum(_), v) => bits(doubleOf(FloatingPoint(64), v))
    case (GroupAggregate.DecimalSum(term), v) =>
      val sum = undecimal(v)
      assert(sum.abs < BigInt(10).pow(term.digits), s"a partial sum exceeds ${term.digits} digits")
      sum
    case (_, v: Long) => BigInt(v)
    case _ => throw new IllegalArgumentException(s"$value of $aggregate")
  }

  /** Null changes nothing. -0.0 is less than 0.0, and NaN is the greatest. */
  private def combine(aggregate: GroupAggregate, a: Value, b: Value): Value = (a, b) match {
    case (None, _) => b
    case (_, None) => a
    case (Some(x: BigInt), Some(y: BigInt)) =>
      aggregate match {
        case GroupAggregate.Outermost(_, End.Least) => Some(x.min(y))
        case GroupAggregate.Outermost(_, End.Greatest) => Some(x.max(y))
        case _ => Some(x + y)
      }
    case (Some(x: Long), Some(y: Long)) =>
      val (p, q) = (java.lang.Double.longBitsToDouble(x), java.lang.Double.longBitsToDouble(y))
      Some(bits(aggregate match {
        case GroupAggregate.Outermost(_, End.Least) => if (java.lang.Double.compare(p, q) <= 0) p else q
        case GroupAggregate.Outermost(_, End.Greatest) => if (java.lang.Double.compare(p, q) >= 0) p else q
        case _ => p + q
      }))
    case _ => throw new IllegalArgumentException(s"$a and $b")
  }

  /** The one value of those that group as one: there is one NaN, and one zero. */
  private def normal(leaf: Leaf, value: Any): Any = (leaf.field.logicalType, value) match {
    case (FloatingPoint(32), v: Long) =>
      java.lang.Float.floatToIntBits(java.lang.Float.intBitsToFloat(v.toInt) + 0f).toLong
    case (FloatingPoint(64), v: Long) => bits(java.lang.Double.longBitsToDouble(v) + 0d)
    case _ => value
  }

  private def doubleOf(of: LogicalType, value: Any): Double = (of, value) match {
    case (FloatingPoint(32), v: Long) => java.lang.Float.intBitsToFloat(v.toInt).toDouble
    case (FloatingPoint(64), v: Long) => java.lang.Double.longBitsToDouble(v)
    case _ => throw new IllegalArgumentException(s"$value of $of")
  }

  /** Bits of a double, the same for all NaNs. */
  private def bits(value: Double): Long = java.lang.Double.doubleToLongBits(value)
}
