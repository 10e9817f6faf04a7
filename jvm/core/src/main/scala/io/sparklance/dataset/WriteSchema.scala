package io.sparklance.dataset

import io.sparklance.schema.{Field, LanceSchema}

/** The fields that data files are written with. Those of a table that is appended to are the table's own. */
object WriteSchema {

  /** Numbers all fields from 0, parents before their children: for a new table, or one that is replaced. */
  def forNewTable(columns: LanceSchema): LanceSchema =
    columns.copy(fields = numbered(columns.fields, first = 0))

  private def numbered(fields: Vector[Field], first: Int): Vector[Field] = {
    val ids = fields.scanLeft(first)((id, field) => id + field.preOrder.size)
    fields.zip(ids).map { case (field, id) =>
      field.copy(id = id, children = numbered(field.children, id + 1))
    }
  }
}
