package io.sparklance.spark.backfill

import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.{DataFrame, SparkSession}

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.spark.options.{BackfillOptions, WriteOptions}
import io.sparklance.spark.session.{Session, TableLocation}

/** New values of columns, from the rows of a query in SQL.
  *
  * @param columns
  *   names, each with its SQL expression over the columns of the query
  * @param query
  *   a query, or the name of a table or view, whose rows have an address, an id or keys
  */
final private[spark] case class QueryColumns(
    columns: Vector[(String, String)],
    query: String,
    asked: BackfillOptions
) {

  def write(location: TableLocation, dataset: Dataset, options: WriteOptions): Unit = {
    // Parentheses take queries, and no other statements.
    val rows = SparkSession.active.sql(s"SELECT * FROM ($query\n)")
    val places = identifying(rows)
    if (places.isEmpty) throw AddressedRows.noAddress(rows, dataset)
    val values = columns.map { case (name, text) => expr(text).as(name) }
    new BackfillResolver(location, dataset, asked, options)
      .write(rows.select(places.map(BackfillResolver.quoted) ++ values: _*))
  }

  /** Returns the columns that say which rows of the table the rows belong to. */
  private def identifying(rows: DataFrame): Vector[String] = {
    val wanted =
      if (asked.on.nonEmpty) asked.on else Vector(MetadataColumn.RowAddr.name, MetadataColumn.RowId.name)
    rows.columns.toVector.filter(name => wanted.exists(Session.alike(_, name)))
  }
}
