package io.sparklance.spark.table

import org.apache.spark.sql.catalyst.expressions.objects.AssertNotNull
import org.apache.spark.sql.catalyst.expressions.{Alias, And, Attribute, EqualNullSafe, EqualTo, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{Join, MergeRows}
import org.apache.spark.sql.types._

/** Columns that the condition of a MERGE equates with other expressions: to assign one of these to its
  * column, as `UPDATE SET *` does with keys, changes nothing in matched rows.
  *
  * @param pairs
  *   columns of the table, each with an expression
  */
final private[table] case class EquatedColumns(pairs: Seq[(Attribute, Expression)]) {

  /** Whether a matched row's column has this value already. */
  def has(column: Attribute, value: Expression): Boolean = pairs.exists { case (equated, other) =>
    equated.exprId == column.exprId && other.semanticEquals(EquatedColumns.inner(value))
  }
}

private[table] object EquatedColumns {
  val none: EquatedColumns = EquatedColumns(Nil)

  def of(merge: MergeRows): EquatedColumns = EquatedColumns(
    merge.child.collectFirst { case join: Join => join.condition.toSeq.flatMap(pairs) }.getOrElse(Nil)
  )

  private def pairs(condition: Expression): Seq[(Attribute, Expression)] = condition match {
    case And(a, b) => pairs(a) ++ pairs(b)
    case EqualTo(a, b) => both(a, b)
    case EqualNullSafe(a, b) => both(a, b)
    case _ => Nil
  }

  private def both(a: Expression, b: Expression): Seq[(Attribute, Expression)] =
    if (a.dataType != b.dataType || !isExact(a.dataType) || !a.deterministic || !b.deterministic) Nil
    else Seq(a -> b, b -> a).collect { case (column: Attribute, other) => column -> other }

  /** Whether equal values have equal bytes: unlike floats and texts of some collations. */
  private def isExact(kind: DataType): Boolean = kind match {
    case ByteType | ShortType | IntegerType | LongType | BooleanType | DateType | TimestampType | BinaryType |
        StringType | _: DecimalType =>
      true
    case _ => false
  }

  private def inner(value: Expression): Expression = value match {
    case Alias(child, _) => inner(child)
    case AssertNotNull(child, _) => inner(child)
    case other => other
  }
}
