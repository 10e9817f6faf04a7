package io.sparklance.spark.read

import org.apache.spark.sql.connector.expressions.filter.{Predicate => SparkPredicate}
import org.apache.spark.sql.connector.expressions.{Expression, Literal, NamedReference}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import io.sparklance.dataset.aggregate.Aggregate
import io.sparklance.dataset.predicate.{BytesTest, NumberKeys, NumberTest, Predicate, ValueTest}
import io.sparklance.index.ListTest
import io.sparklance.schema.{Field, Leaf, LogicalType, TimeUnit}
import io.sparklance.spark.types.{LossyValues, ShownTypes}

/** Translates Spark's predicates to predicates on stored values. Only predicates that are equal for every
  * stored value are translated; all others stay with Spark.
  *
  * @param fields
  *   the table's top-level fields
  */
final private[sparklance] class Pushdown(fields: Vector[Field], lossy: LossyValues) {

  def translate(predicate: SparkPredicate): Option[Predicate] = {
    val operands = predicate.children.toVector
    (predicate.name, operands) match {
      case ("ALWAYS_TRUE", _) => Some(Predicate.Always)
      case ("ALWAYS_FALSE", _) => Some(Predicate.Never)
      case ("AND", Vector(a, b)) => both(a, b).map { case (x, y) => Predicate.all(x, y) }
      case ("OR", Vector(a, b)) => both(a, b).map { case (x, y) => Predicate.AnyOf(Vector(x, y)) }
      case ("NOT", Vector(a: SparkPredicate)) => translate(a).map(_.negated)
      case ("IS_NULL", Vector(Stored(column))) => Some(Predicate.IsNull(column.leaf))
      case ("IS_NOT_NULL", Vector(Stored(column))) => Some(Predicate.NotNull(column.leaf))
      case ("IN", Stored(column) +: values) => oneOf(column, values)
      case ("STARTS_WITH", Vector(Stored(column), value)) => text(column, value, BytesTest.StartsWith(_))
      case ("ENDS_WITH", Vector(Stored(column), value)) => text(column, value, BytesTest.EndsWith(_))
      case ("CONTAINS", Vector(Stored(column), value)) => text(column, value, BytesTest.Contains(_))
      case (name, Vector(Stored(column), value: Literal[_])) => comparison(name, column, value)
      case (name, Vector(value: Literal[_], Stored(column))) =>
        Pushdown.Flipped.get(name).flatMap(comparison(_, column, value))
      case _ => None
    }
  }

  /** Returns a filter on a list as one on stored items. */
  def listed(filter: ListFilter): Option[ListTest] = for {
    list <- fields.find(_.name == filter.column)
    if list.logicalType.isInstanceOf[LogicalType.List]
    item <- list.children.headOption.filter(_.children.isEmpty)
    stored <- column(Leaf(Vector.empty, item))
    constants = filter.values.map(stored.constant)
    if constants.nonEmpty && constants.forall(_.exists(_ != Constant.Null))
    test <- stored.isOneOf(constants.flatten)
  } yield ListTest(list.id, stored.leaf, test)

  /** Returns the leaf of an expression, if its values can be counted. */
  def counted(expression: Expression): Option[Leaf] = column(expression).map(_.leaf)

  /** Returns the leaf of an expression, if stored values have Spark's order. */
  def sorted(expression: Expression): Option[Leaf] =
    column(expression).filter(_.values.isDefined).map(_.leaf).filter(Aggregate.isSorted)

  /** Whether comparisons with values of this top-level field are translated. */
  def compares(field: Field): Boolean = field.children.isEmpty && column(Leaf(Vector.empty, field)).exists {
    _.values.isDefined
  }

  /** Returns the leaf of a column, if comparisons of stored values agree with Spark's. */
  def comparable(reference: NamedReference): Option[Leaf] = reference match {
    case Stored(column) if column.values.isDefined => Some(column.leaf)
    case _ => None
  }

  private def both(a: Expression, b: Expression): Option[(Predicate, Predicate)] = (a, b) match {
    case (a: SparkPredicate, b: SparkPredicate) =>
      for (x <- translate(a); y <- translate(b)) yield (x, y)
    case _ => None
  }

  private def comparison(name: String, column: PushedColumn, value: Literal[_]): Option[Predicate] = {
    val leaf = column.leaf
    (name, column.constant(value)) match {
      case (_, None) => None
      case ("<=>", Some(Constant.Null)) => Some(Predicate.IsNull(leaf))
      case ("=" | "<>" | "<" | "<=" | ">" | ">=", Some(Constant.Null)) => Some(Predicate.Unknown)
      case ("=", Some(value)) => value.isOneOf.map(Predicate.Passes(leaf, _))
      case ("<>", Some(value)) => value.isOneOf.map(Predicate.Fails(leaf, _))
      case ("<=>", Some(value)) =>
        value.isOneOf.map(test => Predicate.all(Predicate.NotNull(leaf), Predicate.Passes(leaf, test)))
      case ("<", Some(value)) => value.isBelow.map(Predicate.Passes(leaf, _))
      case (">=", Some(value)) => value.isBelow.map(Predicate.Fails(leaf, _))
      case ("<=", Some(value)) => value.isAtMost.map(Predicate.Passes(leaf, _))
      case (">", Some(value)) => value.isAtMost.map(Predicate.Fails(leaf, _))
      case _ => None
    }
  }

  private def oneOf(column: PushedColumn, values: Vector[Expression]): Option[Predicate] = {
    val constants = values.map {
      case value: Literal[_] => column.constant(value)
      case _ => None
    }
    val (nulls, others) = constants.flatten.partition(_ == Constant.Null)
    Option.when(!constants.contains(None))(()).flatMap(_ => column.isOneOf(others)).map { test =>
      val found = Predicate.Passes(column.leaf, test)
      if (nulls.isEmpty) found else Predicate.AnyOf(Vector(found, Predicate.Unknown))
    }
  }

  private def text(
      column: PushedColumn,
      value: Expression,
      test: scala.collection.immutable.ArraySeq[Byte] => BytesTest
  ): Option[Predicate] = value match {
    case value: Literal[_] =>
      column.constant(value).collect {
        case Constant.Null => Predicate.Unknown
        case Constant.Bytes(bytes) => Predicate.Passes(column.leaf, test(BytesTest.bytes(bytes)))
      }
    case _ => None
  }

  private object Stored {
    def unapply(expression: Expression): Option[PushedColumn] = column(expression)
  }

  private def column(expression: Expression): Option[PushedColumn] = expression match {
    case reference: NamedReference => leaf(reference.fieldNames.toVector, fields).flatMap(column)
    case _ => None
  }

  /** Returns the leaf of a name whose parts lead through structs only. */
  private def leaf(names: Vector[String], fields: Vector[Field]): Option[Leaf] = {
    val found = names.headOption.flatMap(name => fields.find(_.name == name)).filterNot(_.isBlob)
    found.flatMap { field =>
      if (names.size == 1) Option.when(field.children.isEmpty)(Leaf(Vector.empty, field))
      else if (field.logicalType != LogicalType.Struct || field.isPacked) None
      else leaf(names.tail, field.children).map(inner => inner.copy(around = field +: inner.around))
    }
  }

  private def column(leaf: Leaf): Option[PushedColumn] = {
    val meaning = ShownTypes.meaning(leaf.field)
    meaning match {
      case LogicalType.Null | LogicalType.Struct | LogicalType.Blob | LogicalType.Unknown(_) => None
      case _ if leaf.field.isBlob => None
      case _ =>
        val isExact = lossy == LossyValues.Raw || !ShownTypes.mayLose(meaning)
        ShownTypes.of(leaf.field, lossy).map { shown =>
          new PushedColumn(leaf, shown, if (isExact) StoredValues.of(meaning, shown) else None)
        }
    }
  }
}

private object Pushdown {

  /** Comparisons with swapped sides. */
  private val Flipped: Map[String, String] =
    Map("=" -> "=", "<=>" -> "<=>", "<>" -> "<>", "<" -> ">", "<=" -> ">=", ">" -> "<", ">=" -> "<=")
}

/** A column as filters of Spark compare it.
  *
  * @param values
  *   None if only nulls can be tested
  */
final private class PushedColumn(val leaf: Leaf, shown: DataType, val values: Option[StoredValues]) {

  def constant(literal: Literal[_]): Option[Constant] = values.flatMap { values =>
    if (literal.value == null) Some(Constant.Null)
    else if (!Constant.isOf(literal.dataType, shown)) None
    else values.constant(literal.value)
  }

  def isOneOf(constants: Vector[Constant]): Option[ValueTest] = values.flatMap(_.isOneOf(constants))
}

/** A constant in stored form. */
sealed private trait Constant {
  def isOneOf: Option[ValueTest]
  def isBelow: Option[ValueTest]
  def isAtMost: Option[ValueTest]
}

private object Constant {
  case object Null extends Constant {
    def isOneOf: Option[ValueTest] = None
    def isBelow: Option[ValueTest] = None
    def isAtMost: Option[ValueTest] = None
  }

  /** A number in the stored unit, unscaled for decimals; not necessarily an integer. */
  final case class Number(value: BigDecimal, keys: NumberKeys) extends Constant {
    def isOneOf: Option[NumberTest] = keys.oneOf(Vector(value))
    def isBelow: Option[NumberTest] = keys.lessThan(value)
    def isAtMost: Option[NumberTest] = keys.atMost(value)
  }

  final case class Bytes(value: Array[Byte]) extends Constant {
    def isOneOf: Option[BytesTest] = Some(BytesTest.SameAs(BytesTest.bytes(value)))
    def isBelow: Option[BytesTest] = Some(BytesTest.Before(BytesTest.bytes(value)))
    def isAtMost: Option[BytesTest] = Some(BytesTest.NotAfter(BytesTest.bytes(value)))
  }

  /** Whether a literal of one type is a value of the other. */
  def isOf(literal: DataType, shown: DataType): Boolean = (literal, shown) match {
    case (_: DecimalType, _: DecimalType) => true
    case _ => literal == shown
  }
}

/** Stored values that can be compared with Spark's. */
sealed private trait StoredValues {
  def constant(value: Any): Option[Constant]
  def isOneOf(constants: Vector[Constant]): Option[ValueTest]
}

private object StoredValues {

  def of(meaning: LogicalType, shown: DataType): Option[StoredValues] = (meaning, shown) match {
    case (LogicalType.Utf8(_), StringType) | (LogicalType.Binary(_), BinaryType) => Some(Bytes)
    case (decimal: LogicalType.Decimal, _: DecimalType) => numbers(decimal, -decimal.scale)
    case (_: LogicalType.Decimal, _) => None
    case (LogicalType.Timestamp(unit, _), TimestampType | TimestampNTZType) => numbers(meaning, digits(unit))
    case (LogicalType.Duration(unit), _: DayTimeIntervalType) => numbers(meaning, digits(unit))
    case _ => numbers(meaning, 0)
  }

  /** @param digits number of zeroes appended to stored numbers for Spark */
  private def numbers(meaning: LogicalType, digits: Int): Option[StoredValues] =
    NumberKeys.of(meaning).map(new Numbers(_, digits))

  private def digits(unit: TimeUnit): Int = unit match {
    case TimeUnit.Second => 6
    case TimeUnit.Millisecond => 3
    case TimeUnit.Microsecond => 0
    case TimeUnit.Nanosecond => -3
  }

  private object Bytes extends StoredValues {
    def constant(value: Any): Option[Constant] = value match {
      case text: UTF8String => Some(Constant.Bytes(text.getBytes))
      case bytes: Array[Byte] => Some(Constant.Bytes(bytes))
      case _ => None
    }
    def isOneOf(constants: Vector[Constant]): Option[ValueTest] =
      Some(BytesTest.oneOf(constants.collect { case Constant.Bytes(value) => value }))
  }

  final private class Numbers(keys: NumberKeys, digits: Int) extends StoredValues {
    def constant(value: Any): Option[Constant] = number(value).map { number =>
      Constant.Number(BigDecimal(number.bigDecimal.movePointLeft(digits)), keys)
    }
    def isOneOf(constants: Vector[Constant]): Option[ValueTest] =
      keys.oneOf(constants.collect { case Constant.Number(value, _) => value })

    /** Floats by their keys. */
    private def number(value: Any): Option[BigDecimal] = value match {
      case v: Boolean => Some(if (v) 1 else 0)
      case v: Byte => Some(v.toInt)
      case v: Short => Some(v.toInt)
      case v: Int => Some(v)
      case v: Long => Some(v)
      case v: Float => Some(NumberKeys.ofFloat(v))
      case v: Double => Some(NumberKeys.ofDouble(v))
      case v: Decimal => Some(BigDecimal(v.toJavaBigDecimal))
      case _ => None
    }
  }
}
