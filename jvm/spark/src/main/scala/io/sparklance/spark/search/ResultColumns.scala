package io.sparklance.spark.search

import org.apache.spark.sql.types.{FloatType, IntegerType, StructField, StructType}

import io.sparklance.LanceUsageException
import io.sparklance.spark.session.Session

/** Columns that a search adds to those of the table. */
private[search] object ResultColumns {

  /** Position of the query in a batch, from 0. */
  val queryIndex: StructField = StructField("query_index", IntegerType, nullable = false)

  val distance: StructField = StructField("_distance", FloatType, nullable = true)

  /** Score of a text, the higher the better. */
  val score: StructField = StructField("_score", FloatType, nullable = true)

  /** Score of a row by several searches, the higher the better. */
  val relevance: StructField = StructField("_relevance_score", FloatType, nullable = true)

  /** Returns the columns of a search's result. */
  def of(stored: StructType, search: RowSearch, table: String): StructType = {
    val first = Option.when(search.isBatch)(queryIndex).toSeq
    (first ++ search.added).find(column => stored.exists(s => Session.alike(s.name, column.name))).foreach {
      column =>
        throw new LanceUsageException(
          s"$table has a column '${column.name}', and so would the result of a search. Rename the table's column."
        )
    }
    StructType(first ++ stored.fields ++ search.added)
  }
}
