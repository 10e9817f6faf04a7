package io.sparklance.spark.options

import io.sparklance.schema.{Field, LogicalType}
import io.sparklance.spark.types.FieldMetadata
import io.sparklance.vector.VectorItem

/** Tells how a column of lists, which no search takes, becomes one of vectors. */
private[spark] object VectorCure {

  /** Returns the statement for a field, as the end of an error; None if it has no lists of a vector's items.
    */
  def of(field: Field): Option[String] = (field.logicalType, field.children) match {
    case (LogicalType.List(_, _), Vector(item)) => VectorItem.of(item.logicalType).map { item =>
        s"Column '${field.name}' has lists of ${item.name}, which may differ in length. If all have the same, run " +
          s"ALTER TABLE … SET TBLPROPERTIES ('${field.name}.${FieldMetadata.FixedSizeKey}' = '<length>'), which makes " +
          "vectors of them in place (docs/vector-search.md)."
      }
    case _ => None
  }

  /** Returns the statement for the first field that has one. */
  def ofAny(fields: Vector[Field]): Option[String] = fields.iterator.flatMap(of).nextOption()
}
