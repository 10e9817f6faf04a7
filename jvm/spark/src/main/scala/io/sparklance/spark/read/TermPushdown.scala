package io.sparklance.spark.read

import org.apache.spark.sql.connector.expressions.{Cast, Expression, GeneralScalarExpression, Literal}
import org.apache.spark.sql.types.{Decimal, DecimalType, DoubleType, NumericType}

import io.sparklance.dataset.grouping.NumericTerm
import io.sparklance.schema.Leaf
import io.sparklance.spark.types.{ReadTypeOptions, SchemaConverter}

/** Translates the arithmetic of sums: `+`, `-` and `*` of decimals or of doubles, with columns, constants and
  * casts that lose nothing. Spark offers arithmetic to connectors in ANSI mode only, where an overflow is an
  * error.
  */
final private class TermPushdown(pushdown: Pushdown) {

  /** Returns a decimal term. Integers occur as operands only, cast to decimals. */
  def decimal(expression: Expression): Option[NumericTerm.Exact] = expression match {
    case constant: Literal[_] => TermPushdown.decimal(constant)
    case cast: Cast =>
      cast.dataType match {
        case to: DecimalType => exact(cast.expression).flatMap(NumericTerm.cast(_, to.precision, to.scale))
        case _ => None
      }
    case operation: GeneralScalarExpression =>
      for {
        (sign, a, b) <- TermPushdown.operands(operation)
        left <- decimal(a)
        right <- decimal(b)
        term <- NumericTerm.operation(sign, left, right)
      } yield term
    case column => number(column).filterNot(leaf => NumericTerm.isInteger(leaf.leaf))
  }

  /** Returns a column of integers. */
  def integer(expression: Expression): Option[NumericTerm.ExactLeaf] =
    number(expression).filter(leaf => NumericTerm.isInteger(leaf.leaf))

  /** Returns a column of floats or doubles, or a term of doubles. */
  def floating(expression: Expression): Option[NumericTerm.Floating] =
    double(expression).orElse(column(expression))

  private def exact(expression: Expression): Option[NumericTerm.Exact] = expression match {
    case _: Literal[_] | _: Cast | _: GeneralScalarExpression => decimal(expression)
    case column => number(column)
  }

  /** Returns a column of numbers. Intervals of months are integers to files, but not to Spark. */
  private def number(column: Expression): Option[NumericTerm.ExactLeaf] =
    pushdown.sorted(column).filter(TermPushdown.isNumeric).flatMap(NumericTerm.exact)

  private def double(expression: Expression): Option[NumericTerm.Floating] = expression match {
    case constant: Literal[_] =>
      Option(constant.value).collect { case value: Double => NumericTerm.FloatingConstant(value) }
    case cast: Cast => if (cast.dataType == DoubleType) column(cast.expression) else None
    case operation: GeneralScalarExpression =>
      for {
        (sign, a, b) <- TermPushdown.operands(operation)
        left <- double(a)
        right <- double(b)
      } yield NumericTerm.FloatingOperation(sign, left, right)
    case other => column(other).filter(leaf => NumericTerm.isDouble(leaf.leaf))
  }

  private def column(expression: Expression): Option[NumericTerm.FloatingLeaf] =
    pushdown.sorted(expression).flatMap(NumericTerm.floating)
}

private object TermPushdown {

  private def isNumeric(leaf: Leaf): Boolean =
    SchemaConverter.dataType(leaf.field, ReadTypeOptions.default).isInstanceOf[NumericType]

  private def operands(
      operation: GeneralScalarExpression
  ): Option[(NumericTerm.Operation, Expression, Expression)] = (operation.name, operation.children) match {
    case ("+", Array(a, b)) => Some((NumericTerm.Plus, a, b))
    case ("-", Array(a, b)) => Some((NumericTerm.Minus, a, b))
    case ("*", Array(a, b)) => Some((NumericTerm.Times, a, b))
    case _ => None
  }

  private def decimal(constant: Literal[_]): Option[NumericTerm.Exact] =
    (constant.value, constant.dataType) match {
      case (value: Decimal, of: DecimalType) =>
        val unscaled = value.toJavaBigDecimal.setScale(of.scale).unscaledValue
        Some(NumericTerm.ExactConstant(unscaled, of.precision, of.scale))
      case _ => None
    }
}
