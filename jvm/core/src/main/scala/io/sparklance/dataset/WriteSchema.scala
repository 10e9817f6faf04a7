package io.sparklance.dataset

import io.sparklance.LanceUsageException
import io.sparklance.schema.{Field, LanceSchema, LogicalTypes}

/** The fields that data files are written with: what the caller's columns are in the table. */
object WriteSchema {

  /** Numbers all fields from 0, parents before their children: for a new table, or one that is replaced. */
  def forNewTable(columns: LanceSchema): LanceSchema = {
    def numbered(fields: Vector[Field], first: Int): Vector[Field] =
      fields
        .foldLeft((Vector.empty[Field], first)) { case ((done, id), field) =>
          (done :+ field.copy(id = id, children = numbered(field.children, id + 1)), id + field.preOrder.size)
        }
        ._1
    columns.copy(fields = numbered(columns.fields, 0))
  }

  /** The table's fields for the caller's columns, matched by name, in the caller's order.
    *
    * Columns that the caller lacks become null, so they must be nullable. Whether a value is null where the table's
    * field admits none shows only in the rows: the writer looks at that.
    */
  def forAppend(table: LanceSchema, columns: LanceSchema): LanceSchema =
    LanceSchema(matched("", table.fields, columns.fields), table.metadata)

  private def matched(path: String, table: Vector[Field], columns: Vector[Field]): Vector[Field] = {
    val byName = table.map(field => field.name -> field).toMap
    columns.groupBy(_.name).find(_._2.size > 1).foreach { case (name, _) =>
      refuse(s"column $path$name occurs twice. Give each column a name of its own")
    }
    val missing = table.filterNot(field => field.nullable || columns.exists(_.name == field.name))
    if (missing.nonEmpty)
      refuse(
        s"column ${missing.map(path + _.name).mkString(", ")} must not be null in the table and is missing. Add it"
      )
    columns.map { column =>
      val field = byName.getOrElse(
        column.name,
        refuse(
          s"the table has no column $path${column.name}; it has ${table.map(path + _.name).mkString(", ")}. " +
            "Rename or drop the column, or overwrite the table"
        )
      )
      if (field.logicalType != column.logicalType)
        refuse(
          s"column $path${column.name} is ${LogicalTypes.print(field.logicalType)} in the table and " +
            s"${LogicalTypes.print(column.logicalType)} here. Cast it to the table's type"
        )
      field.copy(children = matched(s"$path${field.name}.", field.children, column.children))
    }
  }

  private def refuse(reason: String): Nothing =
    throw new LanceUsageException(s"The rows do not fit the table: $reason.")
}
