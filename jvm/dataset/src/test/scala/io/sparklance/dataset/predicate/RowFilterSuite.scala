package io.sparklance.dataset.predicate

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{Utf8 => _, _}
import io.sparklance.encoding.logical.PrimitiveField
import io.sparklance.schema.LogicalType._
import io.sparklance.schema.{Field, Leaf, LogicalType}

/** Holds the filter against an interpreter that knows nothing but SQL's three values. */
class RowFilterSuite extends AnyFunSuite {
  import RowFilterSuite._

  for (kind <- kinds)
    test(
      s"${kind.logicalType}: random conditions are true for the same rows as in plain SQL, and their negations"
    ) {
      for (seed <- 0 until 60) {
        val random = new Random(seed.toLong)
        val rows = Vector.fill(random.nextInt(150))(kind.pick(random))
        val other = Vector.fill(rows.size)(Words.pick(random))
        val leaves = Vector(leaf(0, kind), leaf(1, Words))
        val batch = Vector(column(kind, rows), column(Words, other))
        for (_ <- 0 until 10) {
          val condition = generate(random, Vector(kind, Words), 3)
          val positions = rows.indices.filter(_ => random.nextInt(5) > 0).toArray
          def truth(i: Int): Option[Boolean] = condition.truth(Vector(rows(i), other(i)))
          val predicate = condition.predicate(leaves)
          assert(
            hits(predicate, batch, positions) == positions.toSeq.filter(truth(_).contains(true)),
            condition
          )
          assert(
            hits(predicate.negated, batch, positions) == positions.toSeq.filter(truth(_).contains(false)),
            condition
          )
        }
      }
    }

  test("a value in a struct that is null is null") {
    val values = column(Words, Vector(Some("a"), Some("b"), None, Some("c")))
    val around = new NullMask
    around.appendValid(1)
    around.appendNull(1)
    around.appendValid(2)
    def found(predicate: Predicate): Seq[Int] = {
      val positions = Array(0, 1, 2, 3)
      val n = new RowFilter(predicate)
        .narrow(_ => LeafValues(values.values, Vector(around, values.nulls)), positions, 4)
      positions.take(n).toSeq
    }
    val word = leaf(0, Words)
    assert(found(Predicate.IsNull(word)) == Seq(1, 2))
    assert(found(Predicate.NotNull(word)) == Seq(0, 3))
    assert(found(Predicate.Fails(word, BytesTest.SameAs(bytes("a")))) == Seq(3))
  }

  test("numbers that no value of the type can be are compared as numbers") {
    val keys = NumberKeys.of(Integer(8, signed = true)).get
    assert(keys.lessThan(BigDecimal("1e30")).contains(NumberTest.Within(Long.MinValue, Long.MaxValue)))
    assert(keys.atMost(BigDecimal("-1e30")).contains(NumberTest.Never))
    assert(keys.lessThan(BigDecimal("2.5")).contains(NumberTest.Within(Long.MinValue, 2)))
    assert(keys.atMost(BigDecimal("2.5")).contains(NumberTest.Within(Long.MinValue, 2)))
    assert(keys.oneOf(Vector(BigDecimal("2.5"), BigDecimal("1e30"))).contains(NumberTest.Never))
    val decimals = NumberKeys.of(Decimal(128, 38, 0)).get
    assert(decimals.lessThan(BigDecimal("1e30")).isEmpty &&
      decimals.oneOf(Vector(BigDecimal("1e30"))).isEmpty)
  }

  test("a predicate can be sent to an executor") {
    val word = leaf(0, Words)
    val whole = Predicate.all(
      Predicate.AnyOf(Vector(Predicate.IsNull(word), Predicate.Unknown)),
      Predicate.Passes(word, BytesTest.oneOf(Seq("b", "a", "b").map(_.getBytes(UTF_8)))),
      Predicate.Fails(leaf(1, kinds.head), NumberTest.oneOf(Seq(3L, 1L, 3L)))
    )
    val out = new java.io.ByteArrayOutputStream
    new java.io.ObjectOutputStream(out).writeObject(whole)
    val in = new java.io.ObjectInputStream(new java.io.ByteArrayInputStream(out.toByteArray))
    assert(in.readObject() == whole)
  }

  private def hits(predicate: Predicate, batch: Vector[Column], positions: Array[Int]): Seq[Int] = {
    val left = Arrays.copyOf(positions, positions.length)
    val n = new RowFilter(predicate).narrow(
      leaf => LeafValues(batch(leaf.field.id).values, Vector(batch(leaf.field.id).nulls)),
      left,
      left.length
    )
    left.take(n).toSeq
  }
}

private[dataset] object RowFilterSuite {

  /** Values of a type, in the form of tests. */
  abstract class Kind(val logicalType: LogicalType, pool: Vector[Any]) {
    def append(block: DataBlock, value: Any): Unit
    def compare(a: Any, b: Any): Int
    def lessThan(value: Any): ValueTest
    def atMost(value: Any): ValueTest
    def oneOf(values: Vector[Any]): ValueTest

    def value(random: Random): Any = pool(random.nextInt(pool.size))
    def pick(random: Random): Option[Any] = Option.when(random.nextInt(6) > 0)(value(random))
  }

  final class Numbers(logicalType: LogicalType, values: BigDecimal*)
      extends Kind(logicalType, values.toVector) {
    private val keys = NumberKeys.of(logicalType).get
    private def number(value: Any): BigDecimal = value.asInstanceOf[BigDecimal]
    def append(block: DataBlock, value: Any): Unit = block match {
      case b: Fixed8Block => b.append(number(value).toBigInt.toByte)
      case b: Fixed16Block => b.append(number(value).toBigInt.toShort)
      case b: Fixed32Block => b.append(number(value).toBigInt.toInt)
      case b: Fixed64Block => b.append(number(value).toBigInt.toLong)
      case b: FixedBytesBlock =>
        val at = b.extend(1) * b.width
        for (i <- 0 until b.width) b.bytes(at + i) = (number(value).toBigInt >> (8 * i)).toByte
      case other => throw new IllegalArgumentException(s"$other")
    }
    def compare(a: Any, b: Any): Int = number(a).compare(number(b))
    def lessThan(value: Any): ValueTest = keys.lessThan(number(value)).get
    def atMost(value: Any): ValueTest = keys.atMost(number(value)).get
    def oneOf(values: Vector[Any]): ValueTest = keys.oneOf(values.map(number)).get
  }

  /** Compares like Spark: NaN is one value, above all others, and there is one zero. */
  final class Reals(logicalType: LogicalType, values: Double*) extends Kind(logicalType, values.toVector) {
    private val keys = NumberKeys.of(logicalType).get
    private def real(value: Any): Double = value.asInstanceOf[Double]
    private def key(value: Any): BigDecimal =
      BigDecimal(
        if (logicalType == FloatingPoint(32)) NumberKeys.ofFloat(real(value).toFloat)
        else NumberKeys.ofDouble(real(value))
      )
    def append(block: DataBlock, value: Any): Unit = block match {
      case b: Fixed32Block => b.append(java.lang.Float.floatToRawIntBits(real(value).toFloat))
      case b: Fixed64Block => b.append(java.lang.Double.doubleToRawLongBits(real(value)))
      case other => throw new IllegalArgumentException(s"$other")
    }
    def compare(a: Any, b: Any): Int =
      if (real(a) == real(b)) 0 else java.lang.Double.compare(real(a), real(b))
    def lessThan(value: Any): ValueTest = keys.lessThan(key(value)).get
    def atMost(value: Any): ValueTest = keys.atMost(key(value)).get
    def oneOf(values: Vector[Any]): ValueTest = keys.oneOf(values.map(key)).get
  }

  object Words
      extends Texts(Vector("", "a", "b", "ab", "abc", "bc", "aba", "\u00e9", "\ud83d\ude00", "z" * 40))

  class Texts(values: Vector[String]) extends Kind(Utf8(large = false), values) {
    def append(block: DataBlock, value: Any): Unit = block match {
      case b: VariableBlock =>
        val text = text8(value)
        b.append(text, 0, text.length)
      case other => throw new IllegalArgumentException(s"$other")
    }
    def compare(a: Any, b: Any): Int = Arrays.compareUnsigned(text8(a), text8(b))
    def lessThan(value: Any): ValueTest = BytesTest.Before(bytes(value))
    def atMost(value: Any): ValueTest = BytesTest.NotAfter(bytes(value))
    def oneOf(values: Vector[Any]): ValueTest =
      if (values.size == 1) BytesTest.SameAs(bytes(values.head)) else BytesTest.oneOf(values.map(text8))
  }

  private def text8(value: Any): Array[Byte] = value.asInstanceOf[String].getBytes(UTF_8)
  def bytes(value: Any): scala.collection.immutable.ArraySeq[Byte] = BytesTest.bytes(text8(value))

  private def integers(bits: Int, signed: Boolean): Kind = {
    val (least, most) =
      if (signed) (-(BigInt(1) << (bits - 1)), (BigInt(1) << (bits - 1)) - 1)
      else (BigInt(0), (BigInt(1) << bits) - 1)
    new Numbers(
      Integer(bits, signed),
      Seq(
        least,
        least + 1,
        BigInt(0),
        BigInt(1),
        BigInt(77),
        most - 1,
        most,
        most / 2 + 1
      ).map(BigDecimal(_)): _*
    )
  }

  private val reals =
    Seq(0.0, -0.0, 1.5, -1.5, Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity, 3e38f) :+
      java.lang.Float.MIN_VALUE.toDouble

  val kinds: Vector[Kind] =
    (for (bits <- Vector(8, 16, 32, 64); signed <- Vector(true, false)) yield integers(bits, signed)) ++
      Vector(
        new Numbers(Bool, 0, 1),
        new Numbers(Decimal(128, 10, 2), 0, 1, -1, 9999999999L, -9999999999L, 150),
        new Numbers(Decimal(128, 38, 2), 0, 1, -1, Long.MaxValue / 2, Long.MinValue / 2, 150),
        new Numbers(Date32, 0, -1, 20000, Int.MaxValue, Int.MinValue),
        new Reals(FloatingPoint(32), reals: _*),
        new Reals(FloatingPoint(64), (reals ++ Seq(Double.MinPositiveValue, Double.MaxValue, 0.1)): _*),
        Words
      )

  /** A condition with the meaning of SQL. */
  sealed trait Condition {
    def truth(row: Vector[Option[Any]]): Option[Boolean]
    def predicate(leaves: Vector[Leaf]): Predicate
  }
  final case class Compared(column: Int, kind: Kind, operator: String, value: Any) extends Condition {
    def truth(row: Vector[Option[Any]]): Option[Boolean] = row(column).map { v =>
      val order = kind.compare(v, value)
      operator match {
        case "=" => order == 0
        case "<" => order < 0
        case "<=" => order <= 0
      }
    }
    def predicate(leaves: Vector[Leaf]): Predicate = Predicate.Passes(
      leaves(column),
      operator match {
        case "=" => kind.oneOf(Vector(value))
        case "<" => kind.lessThan(value)
        case "<=" => kind.atMost(value)
      }
    )
  }
  final case class In(column: Int, kind: Kind, values: Vector[Option[Any]]) extends Condition {
    def truth(row: Vector[Option[Any]]): Option[Boolean] = row(column).flatMap { v =>
      if (values.flatten.exists(kind.compare(v, _) == 0)) Some(true)
      else if (values.contains(None)) None
      else Some(false)
    }
    def predicate(leaves: Vector[Leaf]): Predicate = {
      val found = Predicate.Passes(leaves(column), kind.oneOf(values.flatten))
      if (values.contains(None)) Predicate.AnyOf(Vector(found, Predicate.Unknown)) else found
    }
  }
  final case class Text(column: Int, kind: String, part: String) extends Condition {
    def truth(row: Vector[Option[Any]]): Option[Boolean] = row(column).map { v =>
      val word = v.asInstanceOf[String]
      kind match {
        case "starts" => word.startsWith(part)
        case "ends" => word.endsWith(part)
        case "contains" => word.contains(part)
      }
    }
    def predicate(leaves: Vector[Leaf]): Predicate = Predicate.Passes(
      leaves(column),
      kind match {
        case "starts" => BytesTest.StartsWith(bytes(part))
        case "ends" => BytesTest.EndsWith(bytes(part))
        case "contains" => BytesTest.Contains(bytes(part))
      }
    )
  }
  final case class Null(column: Int) extends Condition {
    def truth(row: Vector[Option[Any]]): Option[Boolean] = Some(row(column).isEmpty)
    def predicate(leaves: Vector[Leaf]): Predicate = Predicate.IsNull(leaves(column))
  }
  final case class Not(of: Condition) extends Condition {
    def truth(row: Vector[Option[Any]]): Option[Boolean] = of.truth(row).map(!_)
    def predicate(leaves: Vector[Leaf]): Predicate = of.predicate(leaves).negated
  }
  final case class And(a: Condition, b: Condition) extends Condition {
    def truth(row: Vector[Option[Any]]): Option[Boolean] = (a.truth(row), b.truth(row)) match {
      case (Some(false), _) | (_, Some(false)) => Some(false)
      case (Some(true), Some(true)) => Some(true)
      case _ => None
    }
    def predicate(leaves: Vector[Leaf]): Predicate = Predicate.all(a.predicate(leaves), b.predicate(leaves))
  }
  final case class Or(a: Condition, b: Condition) extends Condition {
    def truth(row: Vector[Option[Any]]): Option[Boolean] = Not(And(Not(a), Not(b))).truth(row)
    def predicate(leaves: Vector[Leaf]): Predicate =
      Predicate.AnyOf(Vector(a.predicate(leaves), b.predicate(leaves)))
  }

  def generate(random: Random, kinds: Vector[Kind], depth: Int): Condition = {
    def inner: Condition = generate(random, kinds, depth - 1)
    val column = random.nextInt(kinds.size)
    val kind = kinds(column)
    random.nextInt(if (depth == 0) 5 else 8) match {
      case 0 | 1 => Compared(column, kind, Seq("=", "<", "<=")(random.nextInt(3)), kind.value(random))
      case 2 =>
        In(
          column,
          kind,
          Vector.fill(random.nextInt(4))(if (random.nextInt(9) == 0) None else Some(kind.value(random)))
        )
      case 3 =>
        Text(1, Seq("starts", "ends", "contains")(random.nextInt(3)), Words.value(random).toString.take(2))
      case 4 => Null(column)
      case 5 => Not(inner)
      case 6 => And(inner, inner)
      case _ => Or(inner, inner)
    }
  }

  def leaf(id: Int, kind: Kind): Leaf =
    Leaf(Vector.empty, Field(id, s"c$id", kind.logicalType, nullable = true))

  def column(kind: Kind, rows: Vector[Option[Any]]): Column = {
    val column = Column.forShape(PrimitiveField.shapeOf(leaf(0, kind).field))
    rows.foreach {
      case Some(value) =>
        kind.append(column.values, value)
        column.nulls.appendValid(1)
      case None => column.appendNulls(1)
    }
    column
  }
}
