package io.sparklance.schema

/** Columns of a table or file. Every field has an id; ids, never names, identify the columns of a file.
  *
  * @param metadata
  *   Arrow schema metadata
  */
final private[sparklance] case class LanceSchema(
    fields: Vector[Field],
    metadata: Map[String, String] = Map.empty
) {

  /** All fields, parents before their children. */
  def preOrder: Vector[Field] = fields.flatMap(_.preOrder)

  def maxFieldId: Int = preOrder.map(_.id).maxOption.getOrElse(-1)
}

private[sparklance] object LanceSchema {

  /** Placeholder for the id of a new field. */
  final val NoId = -1
}
