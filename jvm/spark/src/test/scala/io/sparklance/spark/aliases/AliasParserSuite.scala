package io.sparklance.spark.aliases

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{AnalysisException, Row, SparkSessionExtensions}

import io.sparklance.spark.{LanceExtensions, SparkRelease, SparkSuite}

final class AliasParserSuite extends SparkSuite {

  /** A table of four fragments. */
  private def withFragments(body: String => Any): Unit = withTable { t =>
    sql(s"CREATE TABLE $t (id BIGINT) USING lance")
    (0 until 4).foreach(i => sql(s"INSERT INTO $t VALUES ($i)"))
    val _ = body(t)
  }

  private def fragments(t: String): Long = sql(s"SELECT count(DISTINCT _fragid) FROM $t").head().getLong(0)

  test("OPTIMIZE compacts") {
    withFragments { t =>
      assert(fragments(t) == 4)
      assert(sql(s"OPTIMIZE $t").head().getAs[Long]("fragments_removed") == 4)
      assert(fragments(t) == 1 && spark.table(t).count() == 4)
    }
  }

  test("VACUUM cleans up; with DRY RUN it only reports") {
    withFragments { t =>
      assert(sql(s"VACUUM $t").head().getAs[Long]("old_versions") == 0)
      assert(sql(s"VACUUM $t RETAIN 0 HOURS DRY RUN").head().getAs[Long]("old_versions") == 4)
      assert(sql(s"DESCRIBE HISTORY $t").count() == 5)
      assert(sql(s"VACUUM $t RETAIN 0 HOURS").head().getAs[Long]("old_versions") == 4)
      assert(sql(s"DESCRIBE HISTORY $t").count() == 1)
      assert(spark.table(t).count() == 4)
    }
  }

  test("VACUUM leaves tagged versions") {
    withFragments { t =>
      sql(s"ALTER TABLE $t CREATE TAG keep AS OF VERSION 2")
      assert(sql(s"VACUUM $t RETAIN 0 HOURS").head().getAs[Long]("old_versions") == 3)
      assert(sql(s"SELECT * FROM $t VERSION AS OF 'keep'").count() == 1)
    }
  }

  test("errors are of Spark's kinds, with our conditions") {
    withFragments { t =>
      val misread =
        Seq(s"OPTIMIZE $t FULL", s"VACUUM $t LITE", s"DESC HISTORY $t x", s"RESTORE TABLE $t x", "VACUUM nil")
      misread.foreach { statement =>
        val error = intercept[IllegalArgumentException with SparkThrowable](sql(statement))
        assert(error.getCondition == "LANCE_INVALID_USAGE", statement)
      }
      Seq(s"OPTIMIZE $t WHERE id = 1", s"ALTER TABLE $t CREATE BRANCH x RETAIN 3 DAYS").foreach { statement =>
        val error = intercept[UnsupportedOperationException with SparkThrowable](sql(statement))
        assert(error.getCondition == "LANCE_UNSUPPORTED_FEATURE", statement)
      }
    }
  }

  test("a path where nothing is, or without its file system, is named as everywhere") {
    Seq("OPTIMIZE lance.`/no/such`", "VACUUM lance.`/no/such`").foreach { statement =>
      assert(intercept[AnalysisException](sql(statement)).getCondition == "LANCE_TABLE_NOT_FOUND", statement)
    }
    Seq("OPTIMIZE 's3a://bucket/t'", "VACUUM lance.`s3a://bucket/t`").foreach { statement =>
      assert(
        intercept[AnalysisException](sql(statement)).getCondition == "LANCE_FILE_SYSTEM_NOT_FOUND",
        statement
      )
    }
  }

  test("DESCRIBE HISTORY and DETAIL are what the procedures show, of names and of paths") {
    withFragments { t =>
      assert(sql(s"DESC HISTORY $t LIMIT 2").collect().map(_.getLong(0)).toSeq == Seq(5, 4))
      val detail = sql(s"DESCRIBE DETAIL $t").collect()
      assert(detail.toSeq == sql(s"CALL lance.system.detail('$t')").collect().toSeq)
      assert(detail.head.getAs[Long]("rows") == 4 && detail.head.getAs[Long]("fragments") == 4)
      assert(sql(s"DESCRIBE DETAIL '${root(t)}'").collect().toSeq == detail.toSeq)
      assert(sql(s"DESCRIBE DETAIL lance.`${root(t)}`;").collect().toSeq == detail.toSeq)
      assert(sql(s"DESCRIBE DETAIL spark_catalog.default.$t").collect().toSeq == detail.toSeq)
    }
  }

  test("the first statement of a session may be one of ours, of a path") {
    val path = freshPath()
    spark.range(2).write.format("lance").save(path)
    assert(spark.newSession().sql(s"DESCRIBE DETAIL lance.`$path`").head().getAs[Long]("rows") == 2)
  }

  test("a path with any character is found") {
    val path = freshPath() + "/it's a \\ täble"
    spark.range(2).write.format("lance").save(path)
    val literal = path.replace("\\", "\\\\").replace("'", "\\'")
    assert(sql(s"DESCRIBE DETAIL '$literal'").head().getAs[Long]("rows") == 2)
    assert(sql(s"DESCRIBE DETAIL lance.`$path`").head().getAs[Long]("rows") == 2)
  }

  test("tables of other formats are left to Spark, which knows no such statement") {
    withTable { t =>
      sql(s"CREATE TABLE $t (id INT) USING parquet")
      Seq(s"OPTIMIZE $t", s"VACUUM $t", s"DESCRIBE HISTORY $t", "OPTIMIZE no_such_table", "VACUUM '/no/such'")
        .foreach(statement => assert(refusal(sql(statement)).contains("is not a Lance table"), statement))
    }
  }

  test("extensions that a setting names, too, are installed once") {
    val extensions = new SparkSessionExtensions
    def rules: Int = {
      val build = classOf[SparkSessionExtensions].getMethods.find(_.getName == "buildOptimizerRules")
      build.fold(0)(_.invoke(extensions, spark).asInstanceOf[Seq[_]].size)
    }
    new LanceExtensions()(extensions)
    val once = rules
    new LanceExtensions()(extensions)
    assert(once > 0 && rules == once && SparkRelease.isKnown)
  }

  test("DESCRIBE FUNCTION describes ours by the name of a catalog, and others as Spark does") {
    def lines(name: String) = sql(s"DESCRIBE FUNCTION $name").collect().map(_.getString(0)).toSeq
    assert(lines("lance.l2") == Seq("Function: lance.l2", "Usage: l2(a, b): the distance of two vectors"))
    assert(lines("EXTENDED lance.system.`lance_match`").last.contains("whether a text has the words"))
    assert(lines("upper").head == "Function: upper")
    val _ = intercept[AnalysisException](lines("lance.nothing"))
  }

  test("a column of a table named HISTORY is described as ever") {
    withTable { t =>
      sql(s"CREATE TABLE $t (id INT) USING lance")
      sql("CREATE OR REPLACE TEMPORARY VIEW history AS SELECT 1 AS x")
      try assert(sql("DESCRIBE history x").collect().toSeq.contains(Row("data_type", "int")))
      finally { val _ = spark.catalog.dropTempView("history") }
    }
  }

  test("Spark's own parser still handles parameters, errors and types") {
    assert(spark.sql("SELECT :a + 1", Map("a" -> 1)).head() == Row(2))
    assert(spark.sql("SELECT ?", Array("x")).head() == Row("x"))
    val thrown = intercept[Exception](sql("SELEKT 1"))
    assert(thrown.getClass.getSimpleName == "ParseException" &&
      thrown.getMessage.contains("PARSE_SYNTAX_ERROR"))
    intercept[AnalysisException](spark.range(1).selectExpr("id +"))
    assert(spark.range(1).selectExpr("CAST(id AS STRING)").schema.head.dataType.sql == "STRING")
  }

  test("an error in a script is Spark's") {
    withSetting("spark.sql.scripting.enabled", "true") {
      val error = intercept[Exception with SparkThrowable](sql("BEGIN a: BEGIN SELECT 1; END b; END"))
      assert(error.getCondition == "LABELS_MISMATCH")
    }
  }

  test("a table that cannot be opened is a Lance table, and its error says the problem") {
    withTable { t =>
      val path = freshPath()
      sql(s"CREATE TABLE $t (a INT) USING lance LOCATION '$path'")
      org.apache.hadoop.fs.FileUtil.fullyDelete(new java.io.File(path))
      assert(refusal(sql(s"OPTIMIZE $t")).contains("There is no Lance table at"))
    }
  }
}
