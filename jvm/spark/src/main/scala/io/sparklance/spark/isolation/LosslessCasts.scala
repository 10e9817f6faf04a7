package io.sparklance.spark.isolation

import org.apache.spark.sql.catalyst.expressions.objects.{AssertNotNull, StaticInvoke}
import org.apache.spark.sql.catalyst.expressions.{Alias, Cast, CheckOverflowInTableInsert, Expression}
import org.apache.spark.sql.types.{
  ArrayType,
  DataType,
  DoubleType,
  FloatType,
  IntegerType,
  LongType,
  MapType,
  StringType,
  StructType,
  TimestampType
}

/** Casts around the values that a MERGE compares and inserts. */
private[isolation] object LosslessCasts {

  /** Whether a cast gives different values for different ones. Spark's own upcasts may round integers to
    * floats, and map different times of one time zone to one.
    */
  def isLossless(from: DataType, to: DataType): Boolean = (from, to) match {
    case (a, b) if a == b => true
    case (StructType(a), StructType(b)) =>
      a.length == b.length && a.zip(b).forall { case (x, y) => isLossless(x.dataType, y.dataType) }
    case (ArrayType(a, _), ArrayType(b, _)) => isLossless(a, b)
    case (_: MapType, _) | (_, _: StringType) => false
    case (LongType, FloatType | DoubleType) | (IntegerType, FloatType) => false
    case (TimestampType, _) | (_, TimestampType) => false
    case (a, b) => Cast.canUpCast(a, b)
  }

  /** Whether the value that is inserted into a column is the one that the column is compared with: it may
    * only be fitted to the column's type.
    */
  def fits(inserted: Expression, compared: Expression, column: DataType): Boolean = {
    val value = widened(compared)
    Iterator.iterate(Option(inserted))(_.flatMap(inner(_, column))).takeWhile(_.isDefined).flatten
      .exists(step => step.semanticEquals(value) || step.semanticEquals(compared))
  }

  private def inner(expression: Expression, column: DataType): Option[Expression] = expression match {
    case cast: Cast if isSame(cast.dataType, column) || isLossless(cast.child.dataType, cast.dataType) =>
      Some(cast.child)
    case Alias(child, _) => Some(child)
    case AssertNotNull(child, _) => Some(child)
    case CheckOverflowInTableInsert(child, _) => Some(child)
    case call: StaticInvoke if call.functionName.endsWith("TypeWriteSideCheck") => call.arguments.headOption
    case _ => None
  }

  private def widened(expression: Expression): Expression = expression match {
    case cast: Cast if isLossless(cast.child.dataType, cast.dataType) => widened(cast.child)
    case other => other
  }

  /** Whether types differ in nullability only. */
  private def isSame(a: DataType, b: DataType): Boolean = isLossless(a, b) && isLossless(b, a)
}
