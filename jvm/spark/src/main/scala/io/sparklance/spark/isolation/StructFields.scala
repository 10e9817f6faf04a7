package io.sparklance.spark.isolation

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Cast,
  CreateNamedStruct,
  Expression,
  GetStructField,
  If,
  IsNull,
  Literal
}
import org.apache.spark.sql.types.StructType

/** Fields of structs in the expressions by which Spark fits a source's values to a table's columns. */
private[isolation] object StructFields {

  /** Returns a field of a struct; None if it is not known which expression it has. */
  def of(struct: Expression, name: String): Option[Expression] = struct match {
    case made: CreateNamedStruct =>
      made.nameExprs.zip(made.valExprs).collectFirst {
        case (Literal(n, _), value) if n.toString == name => value
      }
    // NULL where the source's struct is NULL.
    case If(_: IsNull, Literal(null, _), made) => of(made, name)
    case Alias(child, _) => of(child, name)
    case Cast(child, _, _, _) => of(child, name)
    case other => other.dataType match {
        case kind: StructType if kind.fieldNames.contains(name) =>
          Some(GetStructField(other, kind.fieldIndex(name), Some(name)))
        case _ => None
      }
  }
}
