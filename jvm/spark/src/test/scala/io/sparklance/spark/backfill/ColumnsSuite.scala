package io.sparklance.spark.backfill

import org.apache.spark.sql.functions.{col, lit, rand, udf}
import org.apache.spark.sql.{Column, DataFrame, Row}

/** Backfills: columns written for existing rows, in place, file by file. */
class ColumnsSuite extends BackfillTables {
  test("expressions become columns, and each fragment gets a file with these only") {
    val path = table(3)
    val before = names(path)
    assert(add(path, "'y', 'x + 1', 's', 'named_struct(\"a\", id, \"b\", array(x))'") == Row(4))
    val expected = (0L until 30L).map(i => Row(i, i * 10, i * 10 + 1, Row(i, Seq(i * 10))))
    assert(load(path).collect().toSeq == expected)
    assert(load(path).columns.toSeq == Seq("id", "x", "y", "s"))
    assert(before.subsetOf(names(path)) && names(path).size == 6)
    assert(dataset(path).fragments.forall(_.files.size == 2))
    assert(jobs(path).isEmpty)
  }

  test("rows of the table itself are not shuffled to its fragments, but others are") {
    val path = table(4)
    val own = plans { val _ = add(path, "'y', 'x + 1'") }
    val derived = plans(write(load(path).select(col("_rowaddr"), (col("x") + 2).as("z")), path, "add"))
    (own ++ derived).filter(_.contains("columns of")).foreach { plan =>
      assert(!plan.contains("Exchange") && !plan.contains("Sort"), plan)
    }
    val places = load(path).select("_rowaddr", "id").collect().toSeq.map(r => (r.getLong(0), r.getLong(1)))
    val session = spark
    import session.implicits._
    val foreign = places.reverse.toDF("_rowaddr", "w")
    val shuffled = plans(write(foreign, path, "add"))
    assert(shuffled.exists(plan => plan.contains("columns of") && plan.contains("Exchange")))
    assert(load(path).where("y <> x + 1 OR z <> x + 2 OR w <> id").count() == 0)
    assert(load(path).where("y + z + w IS NOT NULL").count() == 40)
  }

  test("user-defined functions run in all possible tasks, if there are fewer fragments") {
    val twice = udf((i: Long) => i * 2)
    def shuffles(fragments: Int, column: Column): Boolean = {
      val path = table(fragments)
      val ran = plans(write(load(path).select(col("_rowaddr"), column.as("y")), path, "add"))
      assert(rows(load(path).select("id", "y")) == (0L until 10L * fragments).map(i => Row(i, i * 2)).toSet)
      ran.exists(_.contains("Exchange"))
    }
    withSetting("spark.sql.files.minPartitionNum", "2") {
      assert(shuffles(1, twice(col("id"))))
      assert(!shuffles(1, col("id") * 2) && !shuffles(2, twice(col("id"))))
    }
  }

  test("deleted rows stay deleted, also those that others delete meanwhile") {
    val path = table(3)
    sql(s"DELETE FROM lance.`$path` WHERE id IN (0, 3, 19)")
    assert(add(path, "'y', 'x + 1'") == Row(5))
    val deleting = udf(once { val _ = sql(s"DELETE FROM lance.`$path` WHERE id IN (4, 11)") })
    write(load(path).select(col("_rowaddr"), deleting(col("id")).as("z")), path, "add")
    val left = (0L until 30L).filterNot(Set(0L, 3L, 4L, 11L, 19L))
    assert(rows(load(path)) == left.map(i => Row(i, i * 10, i * 10 + 1, i)).toSet)
    assert(sql(s"CALL lance.system.validate('$path')").count() == 0)
  }

  test("rows that others add or move meanwhile are computed, too, and finished fragments only once") {
    val path = table(3)
    spark.udf.register(
      "appending",
      once(spark.range(
        30,
        40
      ).coalesce(1).selectExpr("id", "id * 10 AS x").write.format("lance").mode("append").save(path))
    )
    val _ = add(path, "'y', 'appending(id) + 1'")
    assert(rows(load(path)) == (0L until 40L).map(i => Row(i, i * 10, i + 1)).toSet)
    spark.udf.register("updating", once { val _ = sql(s"UPDATE lance.`$path` SET x = -1 WHERE id = 12") })
    val _ = add(path, "'z', 'updating(id) + 2'")
    assert(rows(load(path)) == (0L until 40L).map(i =>
      Row(i, if (i == 12) -1 else i * 10, i + 1, i + 2)
    ).toSet)
    spark.udf.register("compacting", once { val _ = sql(s"CALL lance.system.compact('$path')").collect() })
    val _ = update(path, "'y', 'compacting(id)'")
    assert(rows(load(path)) == (0L until 40L).map(i => Row(i, if (i == 12) -1 else i * 10, i, i + 2)).toSet)
    assert(jobs(path).isEmpty && sql(s"CALL lance.system.validate('$path')").count() == 0)
  }

  test("values computed before a change of rows, other than a deletion, are refused") {
    val path = table(2)
    val appending =
      udf(once(spark.range(5).selectExpr("id", "id AS x").write.format("lance").mode("append").save(path)))
    val e = refusal(write(load(path).select(col("_rowaddr"), appending(col("id")).as("z")), path, "add"))
    assert(e.contains("Nothing was committed"))
    assert(load(path).columns.toSeq == Seq("id", "x") && dataset(path).version == 3)
  }

  test("columns get other values, in all rows or in some, and others stay as they are") {
    val path = table(3)
    val files = names(path)
    assert(update(path, "'x', 'x + 1'") == Row(4))
    assert(rows(load(path)) == (0L until 30L).map(i => Row(i, i * 10 + 1)).toSet)
    assert(names(path).size == 6 && files.subsetOf(names(path)))
    assert(update(path, "'x', '-id'", ", where => 'id = 13 OR id = 17'") == Row(5))
    def expected(i: Long) = if (i == 13 || i == 17) -i else i * 10 + 1
    assert(rows(load(path)) == (0L until 30L).map(i => Row(i, expected(i))).toSet)
    assert(names(path).size == 7)
    assert(update(path, "'x', 'null'", ", where => 'id > 100'") == Row(5))
    assert(update(path, "'x', 'null', 'id', 'id'") == Row(6))
    assert(rows(load(path)) == (0L until 30L).map(i => Row(i, null)).toSet)
  }

  test("rows are identified by their ids, or by keys") {
    val path = table(2, "enableStableRowIds" -> "true")
    sql(s"UPDATE lance.`$path` SET x = 5 WHERE id = 3")
    write(load(path).selectExpr("_rowid", "id AS y").repartition(3), path, "add")
    assert(load(path).where("y = id").count() == 20)
    val session = spark
    import session.implicits._
    write(
      Seq((3L, "three"), (4L, "four"), (99L, "none")).toDF("ID", "word"),
      path,
      "add",
      "columnsOn" -> "id"
    )
    val words = rows(load(path).where("word IS NOT NULL").select("id", "word"))
    assert(words == Set(Row(3L, "three"), Row(4L, "four")) && load(path).count() == 20)
    write(Seq((4L, "vier"), (5L, "fünf")).toDF("id", "word"), path, "update", "columnsOn" -> "id")
    assert(rows(load(path).where("word IS NOT NULL").select("id", "word")) ==
      Set(Row(3L, "three"), Row(4L, "vier"), Row(5L, "fünf")))
    val again = Seq((4L, "a"), (4L, "b")).toDF("id", "word")
    assert(refusal(write(again, path, "update", "columnsOn" -> "id")).contains("Two rows have values"))
    val unknown = Seq((1L << 40, 1)).toDF("_rowid", "u")
    assert(refusal(write(unknown, path, "update")).contains("no column 'u'"))
    assert(refusal(write(unknown.withColumnRenamed("u", "word"), path, "update")).contains("has no address"))
  }

  test("missing, foreign and repeated rows are one error, and leave nothing") {
    val path = table(3)
    val files = names(path)
    val all = load(path).select(col("_rowaddr"), col("id").as("y"))
    val session = spark
    import session.implicits._
    def refused(rows: DataFrame): String = {
      val e = refusal(write(rows, path, "add"))
      eventually(assert(names(path) == files))
      assert(dataset(path).version == 3 && jobs(path).isEmpty, e)
      e
    }
    assert(refused(all.where("y <> 14")).contains("row 4 of fragment 1"))
    assert(refused(all.where("y < 10 OR y >= 20")).contains("no row of fragment 1 has one"))
    assert(refused(all.union(Seq((5L, 0L)).toDF())).contains("Two rows have values"))
    assert(refused(all.union(Seq((10L, 0L)).toDF())).contains("_rowaddr 10"))
    assert(refused(all.union(Seq((7L << 32, 0L)).toDF())).contains("row 0 of fragment 7"))
    assert(refused(all.union(Seq((-1L, 0L)).toDF())).contains("_rowaddr -1"))
    assert(refused(all.union(Seq((Long.MinValue, 0L)).toDF())).contains(s"_rowaddr ${Long.MinValue}"))
    assert(refused(all.withColumn("y", rand())).contains("not deterministic"))
    assert(refused(all.withColumn("x", lit(1))).contains("a column 'x' already"))
    assert(refused(all.drop("_rowaddr")).contains("or give the rows a column _rowaddr"))
    assert(refused(all.select("_rowaddr")).contains("have no column to write"))
    assert(refused(all.select(col("_rowaddr").cast("string"), col("y"))).contains("BIGINT"))
  }

  test("invalid expressions are refused before anything is written") {
    val path = table(1)
    assert(refusal(add(path, "'y', 'rand()'")).contains("not deterministic"))
    assert(refusal(add(path, "'X', 'id'")).contains("a column 'x' already"))
    assert(refusal(add(path, "'_rowid', 'id'")).contains("cannot have a column named '_rowid'"))
    assert(refusal(add(path, "'y', NULL")).contains("no expression"))
    assert(refusal(add(path, "'y', 'id'", ", job_id => '../x'")).contains("not a valid job_id"))
    assert(refusal(update(path, "'y', 'id'")).contains("no column 'y'"))
    assert(intercept[Exception](add(path, "'y', 'nothing + 1'")).getMessage.contains("nothing"))
    assert(refusal(load(path).write.format("lance").mode("append").option("columnsOn", "id").save(path))
      .contains("need option 'columns'"))
    val replacing = load(path).selectExpr("_rowaddr", "1 AS y").write.format("lance").option("columns", "add")
    assert(refusal(replacing.mode("overwrite").save(path)).contains("Use mode append"))
    assert(dataset(path).version == 1 && jobs(path).isEmpty)
  }

  test("an empty table gets columns, too") {
    val path = freshPath()
    spark.range(0).write.format("lance").save(path)
    assert(add(path, "'y', 'id + 1'") == Row(2))
    spark.range(2).selectExpr("id", "id AS y").write.format("lance").mode("append").save(path)
    sql(s"DELETE FROM lance.`$path` WHERE id >= 0")
    assert(add(path, "'z', 'id + 1'") == Row(5))
    assert(load(path).columns.toSeq == Seq("id", "y", "z"))
  }
}
