package io.sparklance.spark.search

import org.apache.spark.sql.types.StructField

/** A search for rows of a table, whose result has an order and columns of its own. */
private[search] trait RowSearch extends Product with Serializable {

  /** Columns of the result after those of the table. */
  def added: Vector[StructField]

  /** Number of queries. */
  def queries: Int

  /** Whether rows tell by their `query_index` which query they answer. */
  def isBatch: Boolean

  /** Condition on the rows among which to search. */
  def filter: Option[SearchCondition]

  /** Greatest number of rows that answer a query; None if all rows may. */
  def limit: Option[Int]

  /** Description for EXPLAIN. */
  def describe: String

  def run(table: SearchTarget): FoundRows
}
