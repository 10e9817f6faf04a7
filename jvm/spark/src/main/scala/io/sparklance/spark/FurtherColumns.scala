package io.sparklance.spark

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.types.{StructField, StructType}

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.spark.session.{Session, TableLocation}
import io.sparklance.spark.types.{ReadTypeOptions, SchemaConverter}

/** Columns of rows that the table lacks to which they are appended. */
private[spark] object FurtherColumns {

  /** Spark's conditions of appends that may have them; none knows `mergeSchema`. */
  private val conditions = Set(
    "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS",
    "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_FIND_DATA",
    "INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS",
    "INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_STRUCT_FIELDS"
  )

  /** Appends rows; names their further columns and the cure where Spark refuses them. */
  def named(rows: StructType, location: TableLocation)(append: => Unit): Unit =
    try append
    catch {
      case e: AnalysisException if conditions(e.getCondition) =>
        val table =
          SchemaConverter.toSpark(Dataset.open(location.store, location.root).schema, ReadTypeOptions.written)
        val further = of(rows, table)
        throw (if (further.isEmpty) e else refusal(further, location, e))
    }

  private[spark] def of(rows: StructType, table: StructType): Vector[String] =
    rows.fields.toVector.flatMap { column =>
      table.find(stored => Session.alike(stored.name, column.name)).fold(Vector(column.name))(within(
        column,
        _
      ))
    }

  private def within(column: StructField, stored: StructField): Vector[String] =
    (column.dataType, stored.dataType) match {
      case (fields: StructType, known: StructType) => of(fields, known).map(name => s"${column.name}.$name")
      case (_, _) => Vector.empty
    }

  private def refusal(further: Vector[String], location: TableLocation, cause: Throwable) =
    new LanceUsageException(
      s"The rows have columns that the table at $location lacks: ${further.mkString(", ")}. Give option 'mergeSchema' = 'true' " +
        "to add them to the table, or leave them out of the rows.",
      cause
    )
}
