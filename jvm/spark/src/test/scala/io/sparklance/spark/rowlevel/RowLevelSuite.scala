package io.sparklance.spark.rowlevel

import io.sparklance.dataset.Dataset
import io.sparklance.io.LocalStore
import io.sparklance.spark.SparkSuite

/** Base of suites about statements that change rows. */
abstract class RowLevelSuite extends SparkSuite {

  /** Ids from 0 to 99 in ten fragments, every seventh name null; with stable row ids. */
  protected def withNumbers(body: String => Any): Unit =
    withNumbers(Map("enableStableRowIds" -> "true"))(body)

  /** The same, and then without stable row ids. */
  protected def withBoth(body: String => Any): Unit = {
    withNumbers(body)
    withNumbers(Map.empty[String, String])(body)
  }

  protected def withNumbers(options: Map[String, String])(body: String => Any): Unit = withTable { t =>
    spark.range(0, 100, 1, 1)
      .selectExpr("id", "CASE WHEN id % 7 != 0 THEN concat('n', id % 10) END AS name")
      .writeTo(t)
      .using("lance")
      .options(Map("maxRowsPerFile" -> "10") ++ options)
      .create()
    val _ = body(t)
  }

  protected def dataset(t: String): Dataset = Dataset.open(LocalStore, root(t))

  protected def ids(t: String): Seq[Long] =
    sql(s"SELECT id FROM $t ORDER BY id").collect().map(_.getLong(0)).toSeq

  /** The name of each row, by its id. */
  protected def names(t: String): Map[Long, Option[String]] =
    sql(s"SELECT id, name FROM $t").collect().map { row =>
      row.getLong(0) -> Option(row.getString(1))
    }.toMap

  protected def nameOf(id: Long): Option[String] = Option.when(id % 7 != 0)(s"n${id % 10}")

  /** For each row that is kept by its stable id, that and what its versions are. */
  protected def lineage(t: String): Map[Long, (Long, Long, Long)] =
    sql(s"SELECT id, _rowid, _row_created_at_version, _row_last_updated_at_version FROM $t").collect().map {
      row => row.getLong(0) -> ((row.getLong(1), row.getLong(2), row.getLong(3)))
    }.toMap

  /** Row counts of the last transaction: inserted, updated, deleted. */
  protected def counted(t: String): Seq[String] = {
    val now = dataset(t)
    val name = now.manifest.message.transactionFile
    val bytes = java.nio.file.Files.readAllBytes(java.nio.file.Path.of(root(t), "_transactions", name))
    val said = io.sparklance.proto.transaction.Transaction.parseFrom(bytes).transactionProperties
    Seq("command", "rowsInserted", "rowsUpdated", "rowsDeleted").map(key => said(s"sparklance.$key"))
  }
}
