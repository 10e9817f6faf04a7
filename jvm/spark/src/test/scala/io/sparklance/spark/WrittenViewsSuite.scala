package io.sparklance.spark

import org.apache.spark.sql.Row

/** Statements that write to temporary views. */
final class WrittenViewsSuite extends SparkSuite {

  private val views = Seq("lance_whole", "lance_again", "lance_part", "lance_framed", "lance_options")

  private def withViews[A](body: => A): A =
    try body
    finally views.foreach(spark.catalog.dropTempView)

  /** Runs each kind of statement on a view of a table with the rows (1, 10) and (2, 20). */
  private def written(view: String, table: String): Unit = {
    sql(s"INSERT INTO $view VALUES (3L, 30L), (4L, 40L)")
    sql(s"DELETE FROM $view WHERE $view.id = 1")
    sql(s"UPDATE $view AS x SET v = x.v + 1 WHERE x.id = 2")
    sql(s"UPDATE $view SET v = 0 WHERE ${view.split('.').last}.id = 3")
    sql(s"MERGE INTO $view USING (SELECT 4L AS id UNION SELECT 5L) s ON ${view.split('.').last}.id = s.id " +
      "WHEN MATCHED THEN UPDATE SET v = -1 WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, -2)")
    spark.range(6, 7).selectExpr("id", "id AS v").writeTo(view).append()
    val expected = Set(Row(2L, 21L), Row(3L, 0L), Row(4L, -1L), Row(5L, -2L), Row(6L, 6L))
    assert(rows(sql(s"SELECT * FROM $table")) == expected, view)
    assert(rows(sql(s"SELECT * FROM $view")) == expected, view)
    sql(s"INSERT OVERWRITE $view SELECT 1L, 10L UNION SELECT 2L, 20L")
    val _ = assert(spark.table(view).count() == 2)
  }

  test("a view of a whole table is written like the table, and shows what was written") {
    val path = freshPath()
    spark.range(1, 3).selectExpr("id", "id * 10 AS v").write.format("lance").save(path)
    withTable { t =>
      sql(s"CREATE TABLE $t USING lance AS SELECT * FROM lance.`$path`")
      val whole = Seq("lance_whole", "lance_again", "lance_framed")
      for ((table, asked) <- Seq(t -> whole, s"lance.`$path`" -> Ring.inTurns(whole: _*))) withViews {
        sql(s"CREATE TEMPORARY VIEW lance_whole AS SELECT * FROM $table")
        sql(s"CREATE TEMPORARY VIEW lance_again AS SELECT id, v FROM lance_whole")
        spark.table(table).createOrReplaceTempView("lance_framed")
        asked.foreach(written(_, table))
      }
      withViews {
        load(path).createOrReplaceTempView("lance_framed")
        val schema = "struct<id:bigint,v:bigint>"
        sql(s"CREATE TEMPORARY VIEW lance_options USING lance OPTIONS (path '$path', schema '$schema')")
        Seq("lance_framed", "lance_options").foreach(written(_, s"lance.`$path`"))
      }
      spark.table(t).createOrReplaceGlobalTempView("lance_global")
      try written("global_temp.lance_global", t)
      finally { val _ = spark.catalog.dropGlobalTempView("lance_global") }
    }
  }

  private def refused(path: String, view: String)(create: => Any): Unit = {
    create
    Seq(
      "INSERT INTO lance_part SELECT * FROM lance_part",
      "DELETE FROM lance_part WHERE id = 1",
      "UPDATE lance_part SET id = 1",
      "MERGE INTO lance_part p USING (SELECT 1L AS id) s ON p.id = s.id WHEN MATCHED THEN DELETE"
    ).foreach { statement =>
      val why = refusal(sql(statement))
      assert(why.contains("cannot write to the temporary view") && why.contains(path), s"$view: $statement")
    }
  }

  test("a view of a part of a table, or of another version, is refused with its table") {
    val path = freshPath()
    spark.range(1, 3).selectExpr("id", "id * 10 AS v").write.format("lance").save(path)
    spark.range(3, 4).selectExpr("id", "id AS v").write.format("lance").mode("append").save(path)
    val table = s"lance.`$path`"
    Seq(
      s"SELECT * FROM $table WHERE id > 1",
      s"SELECT id FROM $table",
      s"SELECT v AS id, id AS v FROM $table",
      s"SELECT id, v + 1 AS v FROM $table",
      s"SELECT * FROM $table VERSION AS OF 1",
      s"SELECT a.id, a.v FROM $table a JOIN $table b ON a.id = b.id"
    ).foreach(query => withViews(refused(path, query)(sql(s"CREATE TEMPORARY VIEW lance_part AS $query"))))
    def read = spark.read.format("lance")
    for (frame <- Seq(read.option("version", 1), read.schema("id LONG"), read.option("schema", "id LONG")))
      withViews(refused(path, "a DataFrame")(frame.load(path).createOrReplaceTempView("lance_part")))
    assert(load(path).count() == 3)
  }

  test("views of other formats are Spark's") {
    withTable { t =>
      sql(s"CREATE TABLE $t (id BIGINT, v BIGINT) USING parquet")
      withViews {
        sql(s"CREATE TEMPORARY VIEW lance_whole AS SELECT * FROM $t")
        val error = intercept[Exception](sql("INSERT INTO lance_whole VALUES (1, 2)"))
        assert(error.getMessage.contains("EXPECT_TABLE_NOT_VIEW"))
      }
    }
  }
}
