package io.sparklance.spark.catalog

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.{DelegatingCatalogExtension, Identifier, Table}
import org.apache.spark.sql.{DataFrame, Row, SparkSession}

import io.sparklance.spark.SparkSuite

/** Sessions that have other catalogs than ours, and tables that are not ours. */
final class OtherCatalogsSuite extends SparkSuite {

  private def sessionWith(catalog: String): SparkSession = {
    val session = spark.newSession()
    // Here our extension sets what is not set.
    session.sql("SELECT 1").collect()
    session.conf.set("spark.sql.catalog.spark_catalog", catalog)
    session
  }

  test("another format's session catalog stays; Lance tables are in the catalog lance then") {
    val session = sessionWith(classOf[RecordingCatalog].getName)
    val path = freshPath()
    session.range(3).write.format("lance").save(path)
    session.sql(s"INSERT INTO lance.`$path` VALUES (7)")
    assert(session.sql(s"SELECT * FROM lance.`$path`").count() == 4)
    assert(session.sql(s"OPTIMIZE lance.`$path`").count() == 1)
    withTable { t =>
      session.sql(s"CREATE TABLE $t USING parquet AS SELECT 1 AS a")
      assert(session.table(t).collect().toSeq == Seq(Row(1)))
      assert(RecordingCatalog.loaded.asScala.toSet.contains(t))
    }
    assert(session.conf.get("spark.sql.catalog.spark_catalog") == classOf[RecordingCatalog].getName)
  }

  /** Statements on tables, views, functions and namespaces of other formats, each with what it shows. */
  private def elsewhere(session: SparkSession, t: String): Seq[Seq[Row]] = {
    def shown(frame: DataFrame): Seq[Row] = frame.collect().toSeq.sortBy(_.toString)
    val path = freshPath()
    Seq(
      s"CREATE TABLE $t (a INT, b INT) USING parquet PARTITIONED BY (b) COMMENT 'c' TBLPROPERTIES ('lance.x' = '1')",
      s"INSERT INTO $t VALUES (1, 2), (3, 4)",
      s"ALTER TABLE $t ADD COLUMN c STRING",
      s"ALTER TABLE $t SET TBLPROPERTIES ('lance.write.y' = '2')",
      s"COMMENT ON TABLE $t IS 'd'",
      s"ALTER TABLE $t ADD PARTITION (b = 9)",
      s"SHOW PARTITIONS $t",
      s"ANALYZE TABLE $t COMPUTE STATISTICS",
      s"SELECT * FROM $t",
      s"DESCRIBE $t",
      s"SHOW TBLPROPERTIES $t",
      s"SHOW CREATE TABLE $t",
      s"CREATE TABLE ${t}_like LIKE $t",
      s"DESCRIBE ${t}_like",
      s"DROP TABLE ${t}_like",
      s"CREATE TABLE ${t}_csv USING csv OPTIONS (header = 'true') LOCATION '$path' AS SELECT 1 AS a, 'x' AS b",
      s"SELECT * FROM ${t}_csv",
      s"INSERT OVERWRITE ${t}_csv SELECT 2, 'y'",
      s"SELECT * FROM ${t}_csv",
      s"CREATE VIEW ${t}_v AS SELECT a + 1 AS n FROM $t",
      s"SELECT * FROM ${t}_v",
      s"ALTER VIEW ${t}_v AS SELECT a + 2 AS n FROM $t",
      s"SELECT * FROM ${t}_v",
      s"DROP VIEW ${t}_v",
      s"CREATE DATABASE ${t}_d COMMENT 'x'",
      s"CREATE TABLE ${t}_d.u USING json AS SELECT 5 AS five",
      s"SELECT * FROM ${t}_d.u",
      s"SHOW TABLES IN ${t}_d",
      s"DROP DATABASE ${t}_d CASCADE",
      s"CREATE TEMPORARY FUNCTION ${t}_f AS 'org.apache.hadoop.hive.ql.udf.UDFLength'",
      "SELECT abs(-1)",
      "SHOW FUNCTIONS LIKE 'abs'",
      s"TRUNCATE TABLE $t",
      s"MSCK REPAIR TABLE $t",
      s"ALTER TABLE $t RENAME TO ${t}_r",
      s"SELECT count(*) FROM ${t}_r",
      s"DROP TABLE ${t}_r",
      s"DROP TABLE ${t}_csv",
      s"SELECT * FROM $t"
    ).map { statement =>
      try shown(session.sql(statement))
      catch { case e: Exception => Seq(Row(e.getClass.getName, e.getMessage.linesIterator.next())) }
    }
  }

  test("tables, views and functions of others are as they are without our catalog") {
    val plain = elsewhere(sessionWith("builtin"), "lance_others")
    val ours = elsewhere(spark.newSession(), "lance_others")
    plain.zip(ours).zipWithIndex.foreach { case ((a, b), i) =>
      assert(withoutPaths(a) == withoutPaths(b), s"statement $i")
    }
  }

  /** Places differ from run to run. */
  private def withoutPaths(rows: Seq[Row]): Seq[String] =
    rows.map(_.toString.replaceAll("[\\w-]{36}", "uuid"))
}

object RecordingCatalog {
  val loaded = new ConcurrentLinkedQueue[String]
}

/** Stands for another format's catalog around Spark's own. */
final class RecordingCatalog extends DelegatingCatalogExtension {
  override def loadTable(ident: Identifier): Table = {
    RecordingCatalog.loaded.add(ident.name)
    super.loadTable(ident)
  }
}
