package io.sparklance.spark.backfill

import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.AtomicBoolean

import scala.collection.mutable
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.Future

import org.apache.spark.TaskContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskStart}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write.{DataWriter, LogicalWriteInfo}
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.functions.{col, lit, rand, udf}
import org.apache.spark.sql.types.{LongType, StructType}
import org.apache.spark.sql.util.{CaseInsensitiveStringMap, QueryExecutionListener}
import org.apache.spark.sql.{Column, DataFrame, Row}

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.backfill.{JobFolder, ReplacedColumns}
import io.sparklance.io.LocalStore
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.SparkSuite
import io.sparklance.spark.history.Statement
import io.sparklance.spark.options.{LanceOptions, StoreOptions}

/** Backfills: columns written for existing rows, in place, file by file. */
class ColumnsSuite extends SparkSuite {

  /** Fragments of ten rows each: `id`, and `x` ten times as much. */
  private def table(fragments: Int, options: (String, String)*): String = {
    val path = freshPath()
    (0 until fragments).foreach { i =>
      spark.range(10L * i, 10L * i + 10).coalesce(1).selectExpr("id", "id * 10 AS x")
        .write.format("lance").options(options.toMap).mode("append").save(path)
    }
    path
  }

  private def add(path: String, columns: String, more: String = ""): Row =
    sql(s"CALL lance.system.add_columns(table => '$path', columns => map($columns)$more)").head()

  private def update(path: String, columns: String, more: String = ""): Row =
    sql(s"CALL lance.system.update_columns(table => '$path', columns => map($columns)$more)").head()

  private def write(rows: DataFrame, path: String, kind: String, options: (String, String)*): Unit =
    rows.write.format("lance").mode("append").option("columns", kind).options(options.toMap).save(path)

  private def dataset(path: String): Dataset = Dataset.open(LocalStore, path)

  private def names(path: String): Set[String] = dataFiles(path).map(Path.of(_).getFileName.toString).toSet

  private def jobs(path: String): Seq[String] = {
    val folder = Path.of(path, "_sparklance")
    if (!Files.exists(folder)) Seq.empty else folder.toFile.list.toSeq
  }

  /** The plans that ran. */
  private def plans(body: => Unit): Seq[String] = {
    val found = mutable.Buffer.empty[String]
    val listener = new QueryExecutionListener {
      override def onSuccess(name: String, query: QueryExecution, nanos: Long): Unit =
        found.synchronized { val _ = found += query.executedPlan.toString }
      override def onFailure(name: String, query: QueryExecution, e: Exception): Unit = ()
    }
    spark.listenerManager.register(listener)
    try {
      body
      eventually(assert(found.synchronized(found.exists(_.contains("columns of")))))
    } finally spark.listenerManager.unregister(listener)
    found.synchronized(found.toSeq)
  }

  private def once(action: => Unit): Long => Long = {
    ColumnsSuite.action = () => action
    ColumnsSuite.isDone.set(false)
    ColumnsSuite.run
  }

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

  test("no shuffle brings rows of the table's own to its fragments, and a foreign one's are") {
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

  test("functions of users run in all tasks that there may be, if fragments are fewer") {
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

  test("deleted rows stay deleted, and those that others delete meanwhile go") {
    val path = table(3)
    sql(s"DELETE FROM lance.`$path` WHERE id IN (0, 3, 19)")
    assert(add(path, "'y', 'x + 1'") == Row(5))
    val deleting = udf(once { val _ = sql(s"DELETE FROM lance.`$path` WHERE id IN (4, 11)") })
    write(load(path).select(col("_rowaddr"), deleting(col("id")).as("z")), path, "add")
    val left = (0L until 30L).filterNot(Set(0L, 3L, 4L, 11L, 19L))
    assert(rows(load(path)) == left.map(i => Row(i, i * 10, i * 10 + 1, i)).toSet)
    assert(sql(s"CALL lance.system.validate('$path')").count() == 0)
  }

  test("rows that others add or move meanwhile are computed, too, and what is finished is not again") {
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

  test("a table whose rows changed in another way than by deletion refuses rows that were made before") {
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

  test("rows are told by their ids, or by keys") {
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
    assert(refusal(write(again, path, "update", "columnsOn" -> "id")).contains("Two rows bring values"))
    val unknown = Seq((1L << 40, 1)).toDF("_rowid", "u")
    assert(refusal(write(unknown, path, "update")).contains("no column 'u'"))
    assert(refusal(write(unknown.withColumnRenamed("u", "word"), path, "update")).contains("has no address"))
  }

  test("rows that are missing, foreign or there twice are one error, and leave nothing") {
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
    assert(refused(all.where("y < 10 OR y >= 20")).contains("none of fragment 1"))
    assert(refused(all.union(Seq((5L, 0L)).toDF())).contains("Two rows bring values"))
    assert(refused(all.union(Seq((10L, 0L)).toDF())).contains("_rowaddr 10"))
    assert(refused(all.union(Seq((7L << 32, 0L)).toDF())).contains("row 0 of fragment 7"))
    assert(refused(all.union(Seq((-1L, 0L)).toDF())).contains("_rowaddr -1"))
    assert(refused(all.union(Seq((Long.MinValue, 0L)).toDF())).contains(s"_rowaddr ${Long.MinValue}"))
    assert(refused(all.withColumn("y", rand())).contains("depends on chance"))
    assert(refused(all.withColumn("x", lit(1))).contains("a column 'x' already"))
    assert(refused(all.drop("_rowaddr")).contains("by a column _rowaddr"))
    assert(refused(all.select("_rowaddr")).contains("bring no column"))
    assert(refused(all.select(col("_rowaddr").cast("string"), col("y"))).contains("BIGINT"))
  }

  test("expressions that make no sense are refused before anything is written") {
    val path = table(1)
    assert(refusal(add(path, "'y', 'rand()'")).contains("depends on chance"))
    assert(refusal(add(path, "'X', 'id'")).contains("a column 'x' already"))
    assert(refusal(add(path, "'_rowid', 'id'")).contains("cannot have a column named '_rowid'"))
    assert(refusal(add(path, "'y', NULL")).contains("no expression"))
    assert(refusal(add(path, "'y', 'id'", ", job_id => '../x'")).contains("no job_id"))
    assert(refusal(update(path, "'y', 'id'")).contains("no column 'y'"))
    assert(intercept[Exception](add(path, "'y', 'nothing + 1'")).getMessage.contains("nothing"))
    assert(refusal(load(path).write.format("lance").mode("append").option("columnsOn", "id").save(path))
      .contains("need option 'columns'"))
    val replacing = load(path).selectExpr("_rowaddr", "1 AS y").write.format("lance").option("columns", "add")
    assert(refusal(replacing.mode("overwrite").save(path)).contains("goes with mode append"))
    assert(dataset(path).version == 1 && jobs(path).isEmpty)
  }

  test("a job that failed goes on where it was, without writing again what is finished") {
    val path = table(6)
    val files = names(path)
    val failing =
      udf((i: Long) => if (i == 45 && ColumnsSuite.fails.get) throw new RuntimeException("by design") else i)
    def attempt(): Unit =
      write(load(path).select(col("_rowaddr"), failing(col("id")).as("y")), path, "add", "columnsJob" -> "j1")
    ColumnsSuite.fails.set(true)
    withSetting("spark.sql.files.minPartitionNum", "6") {
      val _ = intercept[Exception](attempt())
      eventually(assert(names(path).size < 12))
      val finished = names(path) -- files
      assert(finished.nonEmpty && jobs(path) == Seq("j1"))
      ColumnsSuite.fails.set(false)
      attempt()
      assert(finished.subsetOf(names(path)) && names(path).size == 12)
    }
    assert(jobs(path).isEmpty)
    assert(rows(load(path)) == (0L until 60L).map(i => Row(i, i * 10, i)).toSet)
    assert(dataset(path).fragments.flatMap(_.files).map(_.path).toSet == names(path))
  }

  test("what a job has finished counts only for the same columns, and fragments with the same files") {
    val path = table(3)
    def attempt(value: String): Unit = write(
      load(path).select(col("_rowaddr"), udf(ColumnsSuite.failAt20).apply(col("id")).cast(value).as("y")),
      path,
      "add",
      "columnsJob" -> "j"
    )
    ColumnsSuite.fails.set(true)
    withSetting("spark.sql.files.minPartitionNum", "3")(intercept[Exception](attempt("long")))
    eventually(assert(jobs(path) == Seq("j")))
    val _ = update(path, "'x', '7'", ", where => 'id < 10'")
    ColumnsSuite.fails.set(false)
    attempt("string")
    assert(rows(load(path).select("id", "y")) == (0L until 30L).map(i => Row(i, i.toString)).toSet)
  }

  test("what a job has finished counts only for the same expressions, where these are known") {
    val path = table(3)
    val same = ", job_id => 'j'"
    withSetting("spark.sql.files.minPartitionNum", "3") {
      val _ = intercept[Exception](add(path, "'y', 'id * 2 + 0 * (1 div (id - 25))'", same))
    }
    val _ = add(path, "'y', 'id * 3'", same)
    assert(rows(load(path).select("id", "y")) == (0L until 30L).map(i => Row(i, i * 3)).toSet)
    assert(jobs(path).isEmpty)
  }

  test("what a job has finished does not count where the session has a say") {
    val path = table(3)
    val value = "if(current_schema() = \"default\", id * 2 + 0 * (1 div (id - 25)), id * 3)"
    sql("CREATE NAMESPACE spark_catalog.other")
    try
      withSetting("spark.sql.files.minPartitionNum", "3") {
        val _ = intercept[Exception](add(path, s"'y', '$value'"))
        eventually(assert(jobs(path).nonEmpty))
        sql("USE spark_catalog.other")
        val _ = add(path, s"'y', '$value'")
      }
    finally {
      sql("USE spark_catalog.default")
      val _ = sql("DROP NAMESPACE spark_catalog.other")
    }
    assert(rows(load(path).select("id", "y")) == (0L until 30L).map(i => Row(i, i * 3)).toSet)
  }

  test("a task that is killed runs again, and its first attempt leaves nothing") {
    val path = table(4)
    val killer = new SparkListener {
      override def onTaskStart(start: SparkListenerTaskStart): Unit =
        if (start.taskInfo.attemptNumber == 0) {
          val _ = Future {
            // Its last fragment is begun, and those before are finished and noted.
            while (!ColumnsSuite.waits.get) Thread.sleep(10)
            spark.sparkContext.killTaskAttempt(start.taskInfo.taskId, interruptThread = true, "a test")
          }
        }
    }
    spark.sparkContext.addSparkListener(killer)
    try
      write(load(path).select(col("_rowaddr"), udf(ColumnsSuite.stuck).apply(col("id")).as("y")), path, "add")
    finally spark.sparkContext.removeSparkListener(killer)
    assert(load(path).where("y = id").count() == 40)
    eventually(assert(names(path) == dataset(path).fragments.flatMap(_.files).map(_.path).toSet))
    assert(jobs(path).isEmpty)
  }

  test("of two attempts of one task only the one whose message arrives counts") {
    val path = table(1)
    val place = StoreOptions.locate(path)
    val opened = Dataset.open(place.store, place.root)
    val fields = opened.schema.fields.take(1)
    val values = new ReplacedColumns(opened, LanceSchema(fields))
    val options = LanceOptions.forWrite(CaseInsensitiveStringMap.empty)
    val job = new BackfillJob(place, values, JobFolder.of(values, "two"), options, Statement("ADD COLUMNS"))
    val brought = new StructType().add("_rowaddr", LongType).add("id", LongType)
    val write = job.batch(new LogicalWriteInfo {
      override def options(): CaseInsensitiveStringMap = CaseInsensitiveStringMap.empty
      override def queryId(): String = "q"
      override def schema(): StructType = brought
    })
    def attempt(id: Long): DataWriter[InternalRow] = {
      val writer = write.createBatchWriterFactory(null).createWriter(0, id)
      (0L until 10L).foreach(i => writer.write(InternalRow(i, i + 100)))
      writer
    }
    val (lost, slow, winner) = (attempt(1), attempt(2), attempt(3))
    val _ = lost.commit()
    val message = winner.commit().asInstanceOf[BackfillMessage]
    slow.abort()
    write.commit(Array(message.copy(isRepeated = true)))
    assert(rows(load(path).select("id")) == (100L until 110L).map(Row(_)).toSet)
    assert(names(path).size == 2 && jobs(path).isEmpty)
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

private object ColumnsSuite {
  val fails = new AtomicBoolean
  val isDone = new AtomicBoolean
  @volatile var action: () => Unit = () => ()

  /** Does something of which a test knows with the first row of all. */
  val run: Long => Long = { i =>
    if (isDone.compareAndSet(false, true)) {
      // Tasks have no session of their own.
      val other = new Thread(() => action())
      other.start()
      other.join()
    }
    i
  }

  /** Whether the first attempt of a task has come to its last rows. */
  val waits = new AtomicBoolean

  val stuck: Long => Long = { i =>
    if (i == 35 && TaskContext.get().attemptNumber() == 0) {
      waits.set(true)
      Thread.sleep(3600 * 1000L)
    }
    i
  }

  val failAt20: Long => Long = i => if (i == 20 && fails.get) throw new RuntimeException("by design") else i
}
