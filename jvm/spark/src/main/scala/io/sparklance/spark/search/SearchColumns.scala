package io.sparklance.spark.search

import org.apache.spark.sql.types.{FloatType, IntegerType, StructField, StructType}

import io.sparklance.LanceUsageException
import io.sparklance.spark.session.Session

/** Columns that a search adds to those of the table. */
private[search] object SearchColumns {

  /** Position of the query in a batch, from 0. */
  val queryIndex: StructField = StructField("query_index", IntegerType, nullable = false)

  val distance: StructField = StructField("_distance", FloatType, nullable = true)

  /** Returns the columns of a search's result. */
  def of(stored: StructType, isBatch: Boolean, table: String): StructType = {
    val added = Option.when(isBatch)(queryIndex).toSeq :+ distance
    added.find(column => stored.exists(s => Session.alike(s.name, column.name))).foreach { column =>
      throw new LanceUsageException(
        s"$table has a column '${column.name}', and so would the result of a search. Rename the table's column."
      )
    }
    StructType(added.init ++ stored.fields :+ distance)
  }
}
