package io.sparklance.schema

/** A table's or a file's columns. Children carry their own ids; field ids, never names, say which column of a file is meant.
  *
  * @param metadata Arrow schema metadata
  */
final case class LanceSchema(fields: Vector[Field], metadata: Map[String, String] = Map.empty) {

  /** All fields, parents before their children. */
  def preOrder: Vector[Field] = fields.flatMap(_.preOrder)

  def maxFieldId: Int = preOrder.map(_.id).maxOption.getOrElse(-1)
}

/** @param metadata Arrow field metadata, in which hints for encoders live as well */
final case class Field(
    id: Int,
    name: String,
    logicalType: LogicalType,
    nullable: Boolean,
    children: Vector[Field] = Vector.empty,
    metadata: Map[String, String] = Map.empty
) {
  def preOrder: Vector[Field] = this +: children.flatMap(_.preOrder)
}
