package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.spark.history.Statement
import io.sparklance.spark.schemachange.{AlterTableCommit, ColumnAlteration}

private[sparklance] object DropColumns
    extends LanceProcedure("drop_columns", "Drops columns, and leaves their files unchanged.") {
  private val columns = Parameter.names("columns")
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, columns)
  val result: StructType = VersionResult.columns

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val names = arguments(columns)
    val statement = Statement("DROP COLUMNS", Map("columns" -> names.mkString(", ")))
    AlterTableCommit.columns(arguments.location, statement)(ColumnAlteration.dropped(_, names))
    VersionResult.rows(arguments)
  }
}
