package io.sparklance.spark

import java.nio.file.{Files, Path}

import org.apache.spark.sql.Row
import org.apache.spark.sql.functions.col


/** What must not be lost, and what must not be stale, of tables with names. */
final class NamedTableSafetySuite extends SparkSuite {
  private var made = 0

  private def withTable[A](body: String => A): A = {
    made += 1
    val name = s"lance_safe$made"
    try body(name)
    finally { val _ = sql(s"DROP TABLE IF EXISTS $name") }
  }

  private def root(table: String): String =
    SparkSuite.scratch.resolve("warehouse").resolve(table).toString

  test("a table of another format is not dropped to be replaced by what is read of it") {
    withTable { t =>
      sql(s"CREATE TABLE $t USING parquet AS SELECT 1 AS a")
      assert(refusal(sql(s"CREATE OR REPLACE TABLE $t USING lance AS SELECT a FROM $t")).contains(
        "is no Lance table"
      ))
      assert(rows(spark.table(t)) == Set(Row(1)))
    }
  }

  test("a table is not dropped to be replaced by one at another place") {
    withTable { t =>
      sql(s"CREATE TABLE $t USING lance AS SELECT 1 AS a")
      assert(
        refusal(sql(s"CREATE OR REPLACE TABLE $t USING lance LOCATION '${freshPath()}' AS SELECT a FROM $t"))
          .contains("lies at")
      )
      assert(rows(spark.table(t)) == Set(Row(1)))
    }
  }

  test("a table of which the data vanished can be replaced") {
    withTable { t =>
      val path = freshPath()
      sql(s"CREATE TABLE $t (a INT) USING lance LOCATION '$path'")
      val all = Files.walk(Path.of(path))
      all.sorted(java.util.Comparator.reverseOrder[Path]).forEach(p => Files.delete(p))
      all.close()
      sql(s"CREATE OR REPLACE TABLE $t USING lance LOCATION '$path' AS SELECT 'x' AS b")
      assert(rows(spark.table(t)) == Set(Row("x")))
      assert(rows(load(path)) == Set(Row("x")))
    }
  }

  test("a table that cannot be opened is listed and dropped, and refused when it is used") {
    withTable { t =>
      sql(s"CREATE TABLE $t USING lance AS SELECT 1 AS a")
      val versions = Files.list(Path.of(root(t), "_versions"))
      val manifest = versions.filter(_.toString.endsWith(".manifest")).findFirst.get
      versions.close()
      Files.write(manifest, Array[Byte](1, 2, 3))
      assert(spark.catalog.listTables().where(col("name") === t).count() == 1)
      assert(refusal(spark.table(t).collect()).contains("no manifest file"))
      assert(refusal(sql(s"INSERT INTO $t VALUES (2)")).contains("no manifest file"))
      sql(s"DROP TABLE $t")
      assert(!spark.catalog.tableExists(t))
      assert(!Files.exists(Path.of(root(t))))
    }
  }
}
