package io.sparklance.spark.read

import java.nio.file.{Files, Path}

import org.apache.spark.sql.catalyst.plans.logical.{Filter, GlobalLimit, Offset}
import org.apache.spark.sql.execution.datasources.v2.{BatchScanExec, DataSourceV2ScanRelation}
import org.apache.spark.sql.execution.{LocalTableScanExec, SortExec}
import org.apache.spark.sql.functions.{broadcast, col}
import org.apache.spark.sql.{DataFrame, Row, SparkSession}

import io.sparklance.spark.SparkSuite

/** Pushdown into scans. */
final class PushdownSuite extends SparkSuite with ScansByTasks {

  /** 3 fragments of 1000 rows. */
  private lazy val path: String = {
    val path = freshPath()
    spark.range(0, 3000, 1, 1).selectExpr("id", "concat('row ', id) AS name").write.format("lance")
      .option("maxRowsPerFile", 1000).save(path)
    path
  }
  private def table: DataFrame = load(path)

  private def ids(frame: DataFrame): Seq[Long] = frame.select("id").collect().toSeq.map(_.getLong(0))

  /** The partitions of the scan, each with its fragments and how many rows of them. */
  private def splits(frame: DataFrame): Seq[Seq[(Long, Long)]] =
    frame.queryExecution.executedPlan.collect { case scan: BatchScanExec => scan }.flatMap(
      _.inputPartitions.collect { case LanceInputPartition(split) =>
        split.tasks.map(t => t.fragmentId -> t.rows.count)
      }
    )

  private def isFiltered(frame: DataFrame): Boolean =
    frame.queryExecution.optimizedPlan.collect { case filter: Filter => filter }.nonEmpty

  private def address(id: Long): Long = (id / 1000) << 32 | id % 1000

  test("metadata columns are there when they are asked for, also of a path") {
    assert(table.columns.toSeq == Seq("id", "name"))
    val rows = table.select("_rowaddr", "id", "_fragid", "_rowid").collect()
    assert(rows.forall(r => r.getLong(0) == address(r.getLong(1)) && r.getLong(2) == r.getLong(1) / 1000))
    assert(rows.forall(r => r.getLong(3) == r.getLong(0)) && rows.length == 3000)
    assert(!table.select("_rowaddr").schema.head.nullable)
    assert(spark.sql(s"SELECT max(_rowaddr) FROM lance.`$path`").head() == Row(address(2999)))
  }

  test("predicates on where rows are choose what is read, and need no filter") {
    val cases = Seq[(String, Long => Boolean)](
      s"_rowaddr = ${address(1500)}" -> (_ == 1500),
      s"_rowid IN (${address(3)}, ${address(2999)}, -1)" -> (id => id == 3 || id == 2999),
      "_fragid = 1" -> (_ / 1000 == 1),
      "_fragid IN (0, 2) AND _rowaddr % 2 = 0" -> (id => id / 1000 != 1 && id % 2 == 0),
      s"_rowaddr > ${address(998)} AND _rowaddr <= ${address(1001)}" -> (id => id > 998 && id <= 1001),
      s"_rowaddr < ${address(2)} OR NOT _fragid < 2" -> (id => id < 2 || id >= 2000),
      s"_fragid <> 1 AND _rowaddr NOT IN (${address(5)}, ${address(6)})" ->
        (id => id / 1000 != 1 && id != 5 && id != 6),
      s"${address(2990)} < _rowaddr" -> (_ > 2990),
      s"_rowaddr <= ${Long.MaxValue}" -> (_ => true),
      s"_rowid > ${Long.MaxValue} OR _rowid < ${Long.MinValue}" -> (_ => false),
      "_fragid > 5" -> (_ => false)
    )
    cases.foreach { case (condition, isWanted) =>
      val found = table.where(condition)
      assert(ids(found) == (0L until 3000L).filter(isWanted), condition)
      assert(isFiltered(found) == condition.contains("%"), condition)
    }
    assert(splits(table.where("_fragid = 1")) == Seq(Seq(1L -> 1000L)))
    assert(splits(table.where(s"_rowaddr IN (${address(7)}, ${address(2001)})")) ==
      Seq(Seq(0L -> 1L, 2L -> 1L)))
    assert(splits(table.where("_fragid > 5")).isEmpty)
  }

  test("a predicate that mentions other columns as well is left to Spark") {
    val found = table.where(s"_rowaddr = ${address(3)} OR id = 2000")
    assert(ids(found) == Seq(3, 2000) && isFiltered(found))
  }

  test("a limit plans only the rows that it needs, and is exact") {
    val ten = table.limit(10)
    assert(ids(ten) == (0L until 10L))
    assert(splits(ten) == Seq(Seq(0L -> 10L)))
    assert(ten.queryExecution.optimizedPlan.collect { case limit: GlobalLimit => limit }.isEmpty)
    assert(ids(table.limit(1001)).size == 1001 && splits(table.limit(1001)).flatten.map(_._2).sum == 1001)
    assert(ids(table.limit(5000)).size == 3000 && ids(table.limit(0)).isEmpty)
    assert(ids(table.where("_fragid = 2").limit(3)) == Seq(2000, 2001, 2002))
    assert(ids(table.where("id >= 2500").limit(3)) == Seq(2500, 2501, 2502))
  }

  test("an offset is skipped without being read") {
    val some = table.offset(1995).limit(10)
    assert(ids(some) == (1995L until 2005L) && splits(some) == Seq(Seq(1L -> 5L, 2L -> 5L)))
    assert(some.queryExecution.optimizedPlan.collect { case offset: Offset => offset }.isEmpty)
    assert(ids(table.limit(10).offset(4)) == (4L until 10L))
    assert(ids(table.limit(4).offset(9)).isEmpty && ids(table.offset(2998)) == Seq(2998, 2999))
  }

  test("rows are counted by the manifest alone") {
    Seq(
      table.groupBy().count(),
      table.selectExpr("count(*)", "count(1)"),
      spark.sql(s"SELECT count(*) FROM lance.`$path`")
    )
      .foreach { frame =>
        assert(frame.head().getLong(0) == 3000)
        assert(frame.queryExecution.executedPlan.collect { case scan: LocalTableScanExec => scan }.nonEmpty)
      }
    assert(table.where("_fragid = 1").count() == 1000 && table.where("id < 10").count() == 10)
    assert(table.limit(7).count() == 7)
    assert(table.selectExpr("count(id)", "count(*)", "max(id)").head() == Row(3000L, 3000L, 2999L))
    assert(table.selectExpr("count(DISTINCT _fragid)").head() == Row(3L))
    assert(table.groupBy("_fragid").count().count() == 3)
  }

  test("a join's runtime filter selects the rows to read") {
    val session = spark
    import session.implicits._
    val few = Seq((address(42), 1), (address(2042), 1), (address(5), 2)).toDF("place", "kind")
    few.write.mode("overwrite").parquet(s"$path.few")
    val wanted = broadcast(session.read.parquet(s"$path.few").where(col("kind") === 1))
    val joined = table.select(col("_rowaddr"), col("id")).join(wanted, col("_rowaddr") === col("place"))
    assert(joined.select("id").collect().map(_.getLong(0)).toSet == Set(42L, 2042L))
  }

  test("a sample is picked by the scan, the same each time, whatever the splits") {
    val some = ids(table.sample(0.2, seed = 7))
    assert(some.size > 450 && some.size < 750 && some == some.distinct)
    val finer = spark.read.format("lance").option("splitRows", 300).load(path)
    assert(ids(finer.sample(0.2, seed = 7)) == some && ids(table.sample(0.2, seed = 8)) != some)
    assert(ids(table.sample(0.2, seed = 7).limit(5)) == some.take(5))
    assert(table.sample(0.2, seed = 7).count() == some.size)
    assert(spark.sql(
      s"SELECT * FROM lance.`$path` TABLESAMPLE (10 PERCENT) REPEATABLE (3) WHERE id < 0"
    ).count() == 0)
    val plan = table.sample(0.2, seed = 7).queryExecution.executedPlan.toString
    assert(plan.contains("sample [0.0, 0.2) of seed 7") && !plan.contains("Sample "))
    assert(ids(table.sample(withReplacement = true, 2.0, seed = 1)).size > 4000)
  }

  test("statistics follow what is pushed down") {
    // Since 4.3 Spark asks for rows only where its optimizer goes by costs.
    def stats(frame: DataFrame): BigInt =
      withSetting("spark.sql.cbo.enabled", "true")(frame.queryExecution.optimizedPlan.stats.rowCount.get)
    assert(stats(table) == 3000 && stats(table.limit(10)) == 10 && stats(table.where("_fragid = 1")) == 1000)
    assert(stats(table.where("_fragid = 1").limit(2000)) == 1000)
    val narrow = table.select("id").queryExecution.optimizedPlan.stats.sizeInBytes
    assert(narrow < table.queryExecution.optimizedPlan.stats.sizeInBytes)
  }

  test("sizes are those on disk, so that Spark broadcasts what it broadcasts of Parquet") {
    val both = Seq("lance", "parquet").map { format =>
      val path = freshPath()
      spark.range(0, 600000, 1, 2).selectExpr(
        "id",
        "cast(id % 7 AS string) AS s"
      ).write.format(format).save(path)
      spark.read.format(format).load(path)
    }
    def bytes(frame: DataFrame): BigInt = frame.queryExecution.optimizedPlan.stats.sizeInBytes
    def sizes(frame: DataFrame): (BigInt, BigInt, BigInt) =
      (bytes(frame.select("id")), bytes(frame.select("s")), bytes(frame))
    val ((id, text, all), (_, _, allOfParquet)) = (sizes(both.head), sizes(both(1)))
    // On disk, a sorted number takes some bits, and so does one of seven strings.
    // An estimate is at least a sixteenth of the 16 and 28 bytes in memory.
    assert((id, text, all) == ((BigInt(600000), BigInt(1050000), BigInt(1350000))))
    assert(all < 3 * allOfParquet, allOfParquet)
    withSetting("spark.sql.autoBroadcastJoinThreshold", "2500000") {
      both.foreach { frame =>
        val join = frame.join(frame.select(frame("id").as("other")), col("id") === col("other"))
        assert(join.queryExecution.sparkPlan.toString.contains("BroadcastHashJoin"))
      }
    }
    withSetting("spark.sql.sources.fileCompressionFactor", "40.0") {
      assert(bytes(both.head.select("id", "s")) > 2 * all)
    }
  }

  test("a column is estimated by the compression of the whole table, if its own bytes are fewer") {
    val path = freshPath()
    spark.range(0, 20000, 1, 1).selectExpr("cast(id % 2 AS int) AS k", "sha2(string(id), 256) AS s")
      .write.format("lance").save(path)
    val column = spark.read.format("lance").load(path).select("k")
    assert(column.queryExecution.optimizedPlan.stats.sizeInBytes == 20000 * (8 + 4))
  }

  test("EXPLAIN shows version, columns, pushed-down parts and the splits") {
    val plan = table.where("_fragid < 2").select("id").offset(3).limit(4).queryExecution.executedPlan.toString
    assert(plan.contains("version 1, columns [id], rows at 1 place, offset 3, limit 4, 1 split"), plan)
  }

  test("EXPLAIN in all of its forms shows filters that are pushed down, and those that are not") {
    for (mode <- Seq("", "EXTENDED", "FORMATTED", "COST")) {
      val query = s"SELECT name FROM lance.`$path` WHERE id > 5 AND length(name) = 6 AND _fragid < 2"
      val plan = spark.sql(s"EXPLAIN $mode $query").head().getString(0)
      val filters = "filters [id IS NOT NULL, name IS NOT NULL, id > 5]"
      assert(plan.contains(s"version 1, columns [name], rows at 1 place, $filters, 1 split"), mode)
      assert("""(Filter|Condition :) \(length\(name#\d+\) = 6\)""".r.findFirstIn(plan).isDefined, plan)
    }
    val ids = (1 to 3000).mkString(", ")
    val long = table.where(s"id IN ($ids)").queryExecution.executedPlan.toString
    assert(long.contains("filters [id IN (") && long.contains("…]") && long.length < 2000)
    val wide = freshPath()
    spark.range(1).selectExpr((0 until 40).map(i => s"id AS c$i"): _*).write.format("lance").save(wide)
    assert(load(wide).queryExecution.executedPlan.toString.contains("c24, 15 more], 1 split"))
  }

  test("the UI shows what a scan read") {
    val frame = table.where("_fragid > 0")
    frame.foreach((_: Row) => ())
    val executed = frame.queryExecution.executedPlan
    frame.collect()
    val metrics = executed.collect { case scan: BatchScanExec => scan.metrics }.head.map { case (k, v) =>
      k -> v.value
    }
    assert(metrics("fragmentsRead") == 2 && metrics("fragmentsSkipped") == 1 && metrics("splits") == 1)
    assert(metrics("pagesRead") > 0 && metrics("batches") == 2)
    // The end of a file is read when it is opened, which does not count.
    assert(metrics("bytesRead") == 0 && metrics("readRequests") == 0)
  }

  private def metrics(frame: DataFrame): Map[String, Long] = {
    val executed = frame.queryExecution.executedPlan
    val _ = executed.executeCollect()
    executed.collect { case scan: BatchScanExec => scan.metrics }.head.map { case (k, v) => k -> v.value }
  }

  test("the UI shows what a scan skipped") {
    def few(condition: String) = metrics(table.where(condition).select("id", "name"))
    val one = few("id = 1500")
    assert(one("rowsFiltered") == 2999 && one("rowsSkipped") == 2000 && one("pagesRead") == 2, one)
    val none = few("id = -1")
    assert(none("rowsFiltered") == 3000 && none("rowsSkipped") == 3000 && none("pagesRead") == 0, none)
    val some = few("name LIKE '%no such row'")
    assert(some("rowsFiltered") == 3000 && some("rowsSkipped") == 0, some)
    assert(some("pagesRead") == 3 && some("pagesSkipped") == 3, some)
    val all = few("name LIKE 'row%'")
    assert(all("rowsFiltered") == 0 && all("pagesSkipped") == 0, all)
    // Each file's tail is asked for once, and known by now.
    assert(all("metadataCacheHits") == 3 && all("metadataCacheMisses") == 0, all)
    val fresh = freshPath()
    table.write.format("lance").save(fresh)
    assert(metrics(load(fresh).select("id"))("metadataCacheMisses") > 0)
  }

  test("rows come in the order of their addresses, so that Spark does not sort by these") {
    def sorts(frame: DataFrame) = frame.queryExecution.executedPlan.collect { case sort: SortExec => sort }
    assert(sorts(table.select("_rowaddr", "id").sortWithinPartitions("_rowaddr")).isEmpty)
    assert(sorts(table.select("_rowaddr", "id").sortWithinPartitions("id")).nonEmpty)
    assert(sorts(table.select("_rowaddr", "id").sortWithinPartitions(col("_rowaddr").desc)).nonEmpty)
  }

  test("splits are as large as the options say") {
    val rows = spark.read.format("lance").option("splitRows", 700).load(path)
    assert(splits(rows).map(_.map(_._2).sum) == Seq(700, 700, 700, 700, 200) && ids(rows) == (0L until 3000L))
    val bytes = spark.read.format("lance").option("splitBytes", "2k").load(path)
    assert(splits(bytes).size > 3 && ids(bytes) == (0L until 3000L))
  }

  test("the settings of the scan's own session count, whichever session the thread has since") {
    val other = spark.newSession()
    other.conf.set("spark.sql.files.minPartitionNum", "7")
    other.conf.set("spark.sql.files.openCostInBytes", "1")
    val (own, theirs) = (load(path), other.read.format("lance").load(path))
    Seq(own, theirs).foreach(_.queryExecution.optimizedPlan)
    def tasks(frame: DataFrame): Int =
      frame.queryExecution.optimizedPlan.collect { case relation: DataSourceV2ScanRelation =>
        relation.scan.toBatch.planInputPartitions().length
      }.head
    val before = SparkSession.active
    try {
      SparkSession.setActiveSession(other)
      val first = tasks(own)
      SparkSession.setActiveSession(spark)
      assert(first < 7 && tasks(theirs) == 7)
    } finally SparkSession.setActiveSession(before)
  }

  test("a scan equals another of the same table, but none of a table that replaced it") {
    val path = freshPath()
    def write(first: Long): Unit =
      spark.range(first, first + 5, 1, 1).toDF("id").write.format("lance").save(path)
    def scan(frame: DataFrame): Any = frame.queryExecution.executedPlan.collect {
      case exec: BatchScanExec => exec.scan
    }.head
    write(0)
    val before = scan(load(path))
    assert(before == scan(load(path)))
    val _ = Files.move(Path.of(path), Path.of(freshPath()))
    write(100)
    assert(before != scan(load(path)))
  }
}
