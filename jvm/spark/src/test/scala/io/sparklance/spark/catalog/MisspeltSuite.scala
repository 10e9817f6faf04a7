package io.sparklance.spark.catalog

import scala.util.Try

import io.sparklance.spark.{LanceCatalog, SparkSuite}

/** Options and properties that there are not, in every kind of catalog: named, with what may be meant, and
  * nothing is done.
  */
final class MisspeltSuite extends SparkSuite {

  /** A table of the session's catalog, one of a directory, and one by its path: none of them is there. */
  private def eachKind(body: String => Any): Unit = {
    withTable { t =>
      val _ = body(t)
    }
    val root = freshPath()
    spark.conf.set("spark.sql.catalog.misspelt", classOf[LanceCatalog].getName)
    spark.conf.set("spark.sql.catalog.misspelt.warehouse", root)
    try { val _ = body("misspelt.t") }
    finally Seq("", ".warehouse").foreach(key => spark.conf.unset(s"spark.sql.catalog.misspelt$key"))
    val _ = body(s"lance.`${freshPath()}`")
  }

  private def exists(table: String): Boolean = Try(spark.table(table)).isSuccess

  test("where a table is made") {
    eachKind { t =>
      val clauses = Seq(
        "OPTIONS (maxRowsPerFiles = '1')" -> "'maxRowsPerFiles' is not known for writing",
        "OPTIONS (maxRowsPerFiles = '1')" -> "Did you mean 'maxRowsPerFile'?",
        "TBLPROPERTIES ('lance.auto_cleanup.intervl' = '1')" -> "Did you mean 'lance.auto_cleanup.interval'?",
        "TBLPROPERTIES ('lance.write.versoin' = '1')" ->
          "'versoin' is not known for writing Lance tables. Known:",
        "TBLPROPERTIES ('lance.completely.different' = '1')" ->
          "'lance.completely.different'. Properties that begin with lance. are"
      )
      for (
        (clause, why) <- clauses;
        rows <- Seq(s"(a INT) USING lance $clause", s"USING lance $clause AS SELECT 1 AS a")
      ) {
        assert(refusal(sql(s"CREATE TABLE $t $rows")).contains(why), rows)
        assert(!exists(t), rows)
      }
      val written = spark.range(3).writeTo(t).using("lance").option("maxRowsPerFiles", "1")
      assert(refusal(written.create()).contains("Did you mean 'maxRowsPerFile'?") && !exists(t))
    }
  }

  test("where a table is read, written or changed") {
    eachKind { t =>
      sql(s"CREATE TABLE $t USING lance AS SELECT 1 AS a")
      assert(
        refusal(sql(s"SELECT * FROM $t WITH (`batchSizes` = '1')").collect()).contains("mean 'batchSize'?")
      )
      val ofWrites = refusal(sql(s"SELECT * FROM $t WITH (`maxRowsPerFile` = '1')").collect())
      assert(ofWrites.contains("'maxRowsPerFile' is for writing") && !ofWrites.contains("Did you"))
      val rows = spark.table(t)
      assert(refusal(rows.writeTo(t).option("batchSize", "1").append()).contains("is for reading"))
      assert(refusal(rows.writeTo(t).option("comit.job", "1").append()).contains("'comit.job'"))
      assert(
        refusal(sql(s"ALTER TABLE $t SET TBLPROPERTIES ('lance.write.statistic' = 'none')"))
          .contains("mean 'statistics'?")
      )
      withSetting("spark.datasource.lance.batchSizes", "1") {
        assert(
          refusal(sql(s"SELECT * FROM $t").collect()).contains("mean 'spark.datasource.lance.batchSize'?")
        )
      }
      assert(sql(s"SELECT * FROM $t.versions").count() == 1)
    }
  }
}
