package io.sparklance.index.build

import io.sparklance.schema.{Field, LanceSchema, LogicalType}

/** A field with an index: a column, or a field inside structs.
  *
  * @param path
  *   from the top-level field to this one
  */
final private[sparklance] case class IndexedColumn(path: Vector[Field]) {
  def field: Field = path.last
  def name: String = path.map(_.name).mkString(".")

  /** The top-level field, without the fields beside the path. */
  def projection: Field = path.init.foldRight(field)((parent, child) => parent.copy(children = Vector(child)))
}

private[sparklance] object IndexedColumn {

  /** Returns None for fields inside lists, maps and packed structs. */
  def of(schema: LanceSchema, fieldId: Int): Option[IndexedColumn] =
    schema.fields.iterator.flatMap(path(_, fieldId)).nextOption().map(IndexedColumn(_))

  private def path(field: Field, fieldId: Int): Option[Vector[Field]] =
    if (field.id == fieldId) Some(Vector(field))
    else if (field.logicalType != LogicalType.Struct || field.isPacked || field.isBlob) None
    else field.children.iterator.flatMap(path(_, fieldId)).nextOption().map(field +: _)
}
