package io.sparklance.spark.procedures

import scala.util.Try

import org.apache.spark.sql.types.{DataType, StructType}

import io.sparklance.LanceUsageException
import io.sparklance.spark.history.Statement
import io.sparklance.spark.schemachange.{AlterTableCommit, ColumnAlteration, NewColumn}

private[sparklance] object AddNullColumns
    extends LanceProcedure(
      "add_null_columns",
      "Adds columns that are null in all rows, and writes no data."
    ) {

  /** The new columns, as DDL or as Spark's JSON, which includes metadata. */
  private val schema = Parameter.text("schema")
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, schema)
  val result: StructType = VersionResult.columns

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val columns = parse(arguments(schema))
    val statement = Statement("ADD COLUMNS", Map("columns" -> columns.fieldNames.mkString(", ")))
    AlterTableCommit.columns(arguments.location, statement) { dataset =>
      ColumnAlteration.added(dataset, columns.fields.toVector.map(NewColumn.field(_, dataset.fileVersion)))
    }
    VersionResult.rows(arguments)
  }

  private def parse(text: String): StructType =
    Try(DataType.fromJson(text)).orElse(Try(StructType.fromDDL(text))).toOption
      .collect { case columns: StructType if columns.nonEmpty => columns }
      .getOrElse(throw new LanceUsageException(
        s"'$text' is not a schema. Write columns as in CREATE TABLE, such as 'score DOUBLE, tags " +
          "ARRAY<STRING>', or as JSON."
      ))
}
