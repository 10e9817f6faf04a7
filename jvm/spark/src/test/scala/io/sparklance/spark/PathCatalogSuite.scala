package io.sparklance.spark

import java.nio.file.{Files, Path}

import org.apache.spark.sql.types.NullType
import org.apache.spark.sql.{AnalysisException, Row}

/** Tables by path in SQL: the catalog `lance`. */
final class PathCatalogSuite extends SparkSuite {

  test("a path is a table in SQL") {
    val path = freshPath()
    sql(s"CREATE TABLE lance.`$path` (id INT, name STRING)")
    sql(s"INSERT INTO lance.`$path` VALUES (1, 'a')")
    assert(rows(sql(s"SELECT * FROM lance.`$path`")) == Set(Row(1, "a")))
    assert(rows(sql(s"SELECT * FROM lance.`$path` VERSION AS OF 1")) == Set.empty)
    assert(rows(load(path)) == Set(Row(1, "a")))
  }

  test("CTAS and RTAS make one version each, or none") {
    val path = freshPath()
    sql(s"CREATE TABLE lance.`$path` AS SELECT id FROM range(3)")
    sql(s"CREATE OR REPLACE TABLE lance.`$path` AS SELECT id, 'x' AS x FROM range(2)")
    assert(rows(load(path)) == Set(Row(0L, "x"), Row(1L, "x")))
    assert(spark.read.format("lance").option("version", 1).load(path).count() == 3)
    val files = dataFiles(path)
    intercept[Exception](
      sql(s"REPLACE TABLE lance.`$path` AS SELECT raise_error('no') || '' AS x FROM range(3)")
    )
    eventually(assert(dataFiles(path).toSet == files.toSet))
    assert(refusal(sql(s"SELECT * FROM lance.`$path` VERSION AS OF 3").collect()).contains("no version 3"))
    assert(
      intercept[Exception](sql(s"CREATE TABLE lance.`$path` (a INT)")).getMessage.contains("ALREADY_EXISTS")
    )
    sql(s"CREATE TABLE IF NOT EXISTS lance.`$path` (a INT)")
    assert(load(path).columns.toSeq == Seq("id", "x"))
  }

  test("a failed CTAS leaves nothing visible") {
    val path = freshPath()
    intercept[Exception](
      sql(s"CREATE TABLE lance.`$path` AS SELECT raise_error('no') || '' AS x FROM range(3)")
    )
    eventually(assert(dataFiles(path).isEmpty))
    assert(!Files.exists(Path.of(path, "_versions")))
  }

  test("a column of type VOID holds nulls only") {
    val path = freshPath()
    sql(s"CREATE TABLE lance.`$path` AS SELECT 1 AS a, NULL AS b")
    assert(load(path).schema("b").dataType == NullType)
    assert(rows(load(path)) == Set(Row(1, null)))
  }

  test("a name that is not a path is refused, with the syntax of one") {
    assert(refusal(sql("SELECT * FROM lance.flights").collect()).contains("lance.`/directory/of/the/table`"))
    assert(refusal(sql("CREATE TABLE lance.db.flights (a INT)")).contains("'db.flights' is not a path"))
  }

  test("dropping, renaming and moving a path are refused with a reason") {
    val path = freshPath()
    sql(s"CREATE TABLE lance.`$path` (a INT)")
    assert(refusal(sql(s"DROP TABLE lance.`$path`")).contains("Delete the directory"))
    assert(refusal(
      sql(s"CREATE TABLE lance.`${freshPath()}` (a INT) LOCATION '/tmp/elsewhere'")
    ).contains("has no meaning"))
    assert(refusal(
      sql(s"CREATE TABLE lance.`${freshPath()}` (a INT, b INT) PARTITIONED BY (b)")
    ).contains("no partitions"))
  }

  test("a path keeps the properties of its table in the table") {
    val path = freshPath()
    sql(
      s"CREATE TABLE lance.`$path` (a INT) COMMENT 'mine' TBLPROPERTIES (k = 'v', 'lance.write.maxRowsPerFile' = '1')"
    )
    def properties =
      sql(s"SHOW TBLPROPERTIES lance.`$path`").collect().map(r => r.getString(0) -> r.getString(1)).toMap
    assert(properties("k") == "v" &&
      sql(s"DESCRIBE EXTENDED lance.`$path`").collect().mkString.contains("mine"))
    sql(s"INSERT INTO lance.`$path` SELECT /*+ COALESCE(1) */ 1 FROM range(3)")
    assert(dataFiles(path).size == 3)
    sql(s"ALTER TABLE lance.`$path` SET TBLPROPERTIES (k2 = 'v2')")
    sql(s"CREATE OR REPLACE TABLE lance.`$path` TBLPROPERTIES (k3 = 'v3') AS SELECT 1 AS a")
    assert(properties.keySet.intersect(Set("k", "k2", "k3", "comment", "lance.write.maxRowsPerFile")) ==
      Set("k3"))
  }

  test("a path without a table is an error that says so") {
    assert(refusal(sql(s"SELECT * FROM lance.`${freshPath()}`").collect()).contains("no Lance table"))
    assert(refusal(sql(s"INSERT INTO lance.`${freshPath()}` VALUES (1)")).contains("no Lance table"))
  }

  test("TIMESTAMP AS OF with an expression") {
    val path = freshPath()
    spark.range(3).write.format("lance").save(path)
    def count(time: String) =
      sql(s"SELECT count(*) FROM lance.`$path` TIMESTAMP AS OF $time").head().getLong(0)
    for (
      time <- Seq(
        "current_timestamp()",
        "now() + INTERVAL 1 DAY",
        "(SELECT TIMESTAMP '2999-01-01')",
        "'2999-01-01'"
      )
    )
      assert(count(time) == 3, time)
    assert(refusal(count("current_timestamp() - INTERVAL 1 DAY")).contains("no version as old as"))
    assert(sql(
      s"WITH w AS (SELECT id FROM lance.`$path` TIMESTAMP AS OF now()) SELECT * FROM w WHERE id IN (SELECT id FROM lance.`$path` TIMESTAMP AS OF now())"
    ).count() == 3)
    assert(intercept[AnalysisException](count("rand()")).getMessage.contains("rand"))
  }
}
