package io.sparklance.spark.history

import org.apache.spark.sql.catalyst.expressions.{Literal => CatalystLiteral}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.expressions.{Expression, GeneralScalarExpression, Literal}
import org.apache.spark.sql.types.{DataType, DateType, TimestampNTZType, TimestampType}

/** Conditions of statements as SQL. Spark shows dates and times in them as numbers. */
private[spark] object ShownCondition {

  def of(conditions: Array[Predicate]): String = conditions.map(shown(_).toString).mkString(" AND ")

  private def shown(part: Expression): Expression = part match {
    case literal: Literal[_] if isTime(literal.dataType) && literal.value != null => new Time(literal)
    case predicate: Predicate if predicate.children.nonEmpty =>
      new Predicate(predicate.name, predicate.children.map(shown))
    case call: GeneralScalarExpression if call.children.nonEmpty =>
      new GeneralScalarExpression(call.name, call.children.map(shown))
    case other => other
  }

  private def isTime(kind: DataType): Boolean = kind match {
    case DateType | TimestampType | TimestampNTZType => true
    case _ => false
  }

  private class Time(literal: Literal[_]) extends Literal[Any] {
    override def value: Any = literal.value
    override def dataType: DataType = literal.dataType
    override def toString: String = CatalystLiteral(value, dataType).sql
  }
}
