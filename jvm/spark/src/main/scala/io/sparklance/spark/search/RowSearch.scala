package io.sparklance.spark.search

import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.types.StructField

import io.sparklance.dataset.Dataset
import io.sparklance.index.search.BrokenIndices
import io.sparklance.spark.options.ReadOptions
import io.sparklance.spark.session.TableLocation

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

  def run(table: SearchedTable): FoundRows
}

/** A version of a table to search. */
final private[search] case class SearchedTable(dataset: Dataset, location: TableLocation, read: ReadOptions) {
  def broken: BrokenIndices = read.indices.getOrElse(BrokenIndices.Fail)

  /** The location with the settings of the read. */
  def tuned: TableLocation = location.copy(tuning = read.tuning)
}

/** The rows that answer a query, in order.
  *
  * @param values
  *   of each added column, parallel to `addresses`; NaN stands for null
  */
final private[search] case class RankedRows(addresses: Array[Long], values: Vector[Array[Float]]) {
  def size: Int = addresses.length
}

/** @param answers for each query */
final private[search] case class FoundRows(answers: Vector[RankedRows], metrics: Array[CustomTaskMetric])
