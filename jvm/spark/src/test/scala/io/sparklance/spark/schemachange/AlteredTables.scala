package io.sparklance.spark.schemachange

import io.sparklance.dataset.Dataset
import io.sparklance.io.LocalStore
import io.sparklance.spark.SparkSuite

/** Tables that tests alter. */
trait AlteredTables extends SparkSuite {
  protected def dataset(t: String): Dataset = Dataset.open(LocalStore, root(t))

  protected def withColumns(body: String => Any): Unit = withTable { t =>
    sql(
      s"CREATE TABLE $t (id INT NOT NULL, name STRING, s STRUCT<a: INT, b: STRUCT<x: INT, y: STRING>>) USING lance"
    )
    sql(s"INSERT INTO $t VALUES (1, 'one', named_struct('a', 10, 'b', named_struct('x', 100, 'y', 'p')))")
    sql(s"INSERT INTO $t VALUES (2, NULL, NULL)")
    val _ = body(t)
  }

  protected def names(t: String): Seq[String] = spark.table(t).columns.toSeq

  protected def versionAndFiles(t: String): (Long, Set[String]) =
    (dataset(t).version, dataFiles(root(t)).toSet)
}
