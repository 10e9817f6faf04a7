package io.sparklance.spark.read

import java.math.{BigDecimal => JBigDecimal}
import java.sql.{Date, Timestamp}
import java.time.LocalDateTime

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.functions.{broadcast, col}
import org.apache.spark.sql.types._
import org.apache.spark.sql.{DataFrame, Row}

/** Filters that the reader evaluates. It must find the rows that Spark finds. */
final class FilterPushdownSuite extends ScanSuite {
  import FilterPushdownSuite._

  private lazy val path: String = {
    val fresh = freshPath()
    val frame = spark.createDataFrame(data.asJava, schema).repartition(1)
    frame.write.format("lance").option("maxRowsPerFile", 250).save(fresh)
    fresh
  }

  private def table: DataFrame = spark.read.format("lance").option("batchSize", 64).load(path)

  private def plain: DataFrame = spark.read.format("lance").option("pushDownFilters", "false").load(path)

  test("filters that the reader alone evaluates") {
    exact.foreach { condition =>
      val frame = table.where(condition).select("id")
      assert(residuals(frame) == Nil, condition)
      assert(scan(frame).scan.description.contains("filters ["), condition)
    }
  }

  test("what is left to Spark") {
    inexact.foreach(condition => assert(residuals(table.where(condition).select("id")).size == 1, condition))
  }

  test("each part of a conjunction goes where it can be evaluated") {
    val frame = table.where("i > 3 AND upper(s) = 'A'")
    assert(residuals(frame) == Seq("(upper(s) = 'A')"))
    assert(scan(frame).scan.description.contains("i > 3"))
    assert(scan(frame).scan.readSchema.fieldNames.toSeq == schema.fieldNames.toSeq)
  }

  test("a column that only a filter needs is not in the scan's schema") {
    val frame = table.where("s = 'a' AND d > 0").select("id")
    assert(scan(frame).scan.readSchema.fieldNames.toSeq == Seq("id"))
  }

  test("with the option 'pushDownFilters' = false Spark evaluates all filters") {
    val frame = plain.where("i = 3")
    assert(residuals(frame).nonEmpty && !scan(frame).scan.description.contains("filters"))
    assert(refusal(spark.read.format("lance").option("pushDownFilters", "maybe").load(path).count()) ==
      "Option 'pushDownFilters' cannot be 'maybe': it must be true or false.")
  }

  test("the reader finds the same rows as Spark, for any filter") {
    val random = new Random(5)
    val conditions = exact ++ Seq.fill(40)(generate(random, 2))
    val truths = plain.selectExpr("id" +: conditions: _*).collect()
    conditions.zipWithIndex.foreach { case (condition, i) =>
      val expected = truths.filter(row => !row.isNullAt(i + 1) && row.getBoolean(i + 1)).map(_.getLong(0))
      val frame = table.where(condition).select("id")
      assert(residuals(frame) == Nil, condition)
      assert(idsOf(frame) == expected.toVector, condition)
    }
  }

  test("rows that are found have all of their columns") {
    val texts = plain.drop("x").collect().map(row => row.getLong(0) -> row.toString).toMap
    for (condition <- Seq("i = 3", "s LIKE 'a%' AND d > 0", "i IS NULL OR b", "id = 777")) {
      val found = table.drop("x").where(condition).collect()
      assert(found.nonEmpty && found.forall(row => row.toString == texts(row.getLong(0))), condition)
      assert(table.where(condition).count() == found.length, condition)
    }
  }

  test("a join requests only rows that it can use") {
    val dimension = freshPath()
    spark.range(40).selectExpr(
      "cast(id as int) as i",
      "cast(id % 20 as int) as kind"
    ).write.parquet(dimension)
    // Spark does this only where it sees a filter beside the other table; one that a scan has taken over is
    // none.
    val few = broadcast(spark.read.parquet(dimension).where("kind = 7"))
    val joined = table.select("id", "i", "s").join(few, "i")
    val expected = data.filter(row => !row.isNullAt(1) && Set(7, 27)(row.getInt(1))).map(_.getLong(0)).toSet
    assert(joined.select("id").collect().map(_.getLong(0)).toSet == expected)
    val scans = collectWithSubqueries(joined.queryExecution.executedPlan) { case scan: BatchScanExec => scan }
    val filtered = scans.filter(_.runtimeFilters.nonEmpty)
    assert(filtered.size == 1, joined.queryExecution.executedPlan)
    val _ = joined.collect()
    val fact = collect(joined.queryExecution.executedPlan) {
      case scan: BatchScanExec if scan.runtimeFilters.nonEmpty => scan
    }.head
    assert(fact.metrics("numOutputRows").value <= 2L * expected.size)
  }

  test(
    "a join of two Lance tables asks so too, if Spark filters the small one, and takes rows by their ids"
  ) {
    val small = freshPath()
    spark.range(40).selectExpr("id * 9 AS place", "id % 20 AS kind").write.format("lance").save(small)
    def few(pushDown: Boolean) =
      broadcast(spark.read.format("lance").option("pushDownFilters", pushDown).load(small).where("kind = 7"))
    def runtimeFilters(joined: DataFrame) =
      collectWithSubqueries(joined.queryExecution.executedPlan) { case scan: BatchScanExec => scan }
        .flatMap(_.runtimeFilters)
    // A filter that the scan has taken over leaves no trace by which Spark could see that few rows are left.
    def joined(pushDown: Boolean) =
      table.select("id", "_rowid").join(few(pushDown), col("_rowid") === col("place"))
    assert(runtimeFilters(joined(pushDown = true)).isEmpty)
    val asked = joined(pushDown = false)
    assert(runtimeFilters(asked).size == 1)
    assert(asked.select("id").collect().map(_.getLong(0)).toSet == Set(7L * 9, 27L * 9))
    val _ = asked.collect()
    val fact = collect(asked.queryExecution.executedPlan) {
      case scan: BatchScanExec if scan.runtimeFilters.nonEmpty => scan
    }.head
    assert(fact.metrics("numOutputRows").value == 2)
  }

  test("conditions that no row satisfies read nothing") {
    assert(table.where("i = null").count() == 0)
    val frame = table.where("i = 3 AND i IN (4, 5)")
    assert(frame.collect().isEmpty)
  }
}

private object FilterPushdownSuite {
  private val Rows = 1000

  val schema: StructType = new StructType()
    .add("id", LongType, nullable = false)
    .add("i", IntegerType)
    .add("t", ByteType)
    .add("b", BooleanType)
    .add("f", FloatType)
    .add("d", DoubleType)
    .add("m", DecimalType(10, 2))
    .add("w", DecimalType(38, 4))
    .add("s", StringType)
    .add("x", BinaryType)
    .add("day", DateType)
    .add("ts", TimestampType)
    .add("ntz", TimestampNTZType)

  private val words = Vector("", "a", "b", "ab", "abc", "zebra", "\u00e9t\u00e9", "a%b", "long " * 80)

  private def row(id: Long): Row = {
    val r = new Random(id)
    def maybe(value: => Any): Any = if (r.nextInt(8) == 0) null else value
    def one(values: Any*): Any = maybe(values(r.nextInt(values.size)))
    val number = r.nextInt(40) - 5
    Row(
      id,
      one(number, number, number, Int.MaxValue, Int.MinValue),
      one(number.toByte, Byte.MinValue, Byte.MaxValue),
      one(true, false),
      one(number / 4f, 0f, -0f, Float.NaN, Float.PositiveInfinity, Float.NegativeInfinity),
      one(number / 4d, 0d, -0d, Double.NaN, Double.NegativeInfinity, Double.MaxValue),
      one(new JBigDecimal(number).movePointLeft(1), new JBigDecimal("99999999.99")),
      one(new JBigDecimal(number), new JBigDecimal("1234567890123456789012345678901234.5678")),
      one(words: _*),
      maybe(words(r.nextInt(words.size)).getBytes("UTF-8")),
      one(Date.valueOf("2020-02-29"), Date.valueOf(f"20${r.nextInt(40) + 10}%02d-01-01")),
      one(Timestamp.valueOf("1969-12-31 23:59:59.999999"), new Timestamp(r.nextInt(1000) * 1000000000L)),
      one(LocalDateTime.of(2020, 1, 1 + r.nextInt(28), 0, 0))
    )
  }

  val data: Vector[Row] = Vector.tabulate(Rows)(i => row(i.toLong))

  val exact: Seq[String] = Seq(
    "i = 3",
    "3 = i",
    "i <> 3",
    "i < 3",
    "3 >= i",
    "i > 3",
    "i >= 3",
    "i <=> 3",
    "NOT (i <=> 3)",
    "i BETWEEN 3 AND 5",
    "i IN (1, 2, 30)",
    "i NOT IN (1, 2, 30)",
    "i IS NULL",
    "i IS NOT NULL",
    "t = 5Y",
    "b",
    "NOT b",
    "b = false",
    "f = cast('NaN' as float)",
    "f > cast(1.5 as float)",
    "f = cast(0 as float)",
    "d >= 1.5D",
    "d < cast('NaN' as double)",
    "m = 0.30",
    "m > 1",
    "w < 12.5",
    "s = 'abc'",
    "s <> 'abc'",
    "s > 'abc'",
    "s LIKE 'a%'",
    "s LIKE '%b'",
    "s LIKE '%b%'",
    "startswith(s, 'a')",
    "s IN ('a', 'zebra')",
    "x = X'61'",
    "x > X'61'",
    "day = DATE'2020-02-29'",
    "day >= DATE'2030-01-01'",
    "ts < TIMESTAMP'1970-01-01 00:00:00 UTC'",
    "ntz = TIMESTAMP_NTZ'2020-01-05 00:00:00'",
    "i = 3 OR s = 'abc'",
    "NOT (i = 3 OR s = 'abc')",
    "NOT (i = 3 AND s LIKE 'a%')"
  )

  val inexact: Seq[String] = Seq(
    "i % 2 = 0",
    "i = t",
    "upper(s) = 'A'",
    "s RLIKE 'a.*'",
    "s LIKE 'a%b'",
    "length(s) = 1",
    "cast(i as string) = '3'",
    "i = 3 OR length(s) = 1",
    "w < 12345678901234567890123456.5"
  )

  private val atoms: Vector[Random => String] = Vector(
    r => s"i ${operator(r)} ${r.nextInt(40) - 5}",
    r => s"i IN (${r.nextInt(9)}, ${r.nextInt(9)}, ${Seq("null", "7")(r.nextInt(2))})",
    r => s"t ${operator(r)} ${r.nextInt(256) - 128}Y",
    r => s"f ${operator(r)} cast('${Seq("NaN", "0", "-0.0", "Infinity", "1.25")(r.nextInt(5))}' as float)",
    r => s"d ${operator(r)} cast('${Seq("NaN", "0", "-0.0", "-Infinity", "1.25")(r.nextInt(5))}' as double)",
    r => s"m ${operator(r)} ${r.nextInt(30) - 5}.${r.nextInt(10)}",
    r => s"w ${operator(r)} ${r.nextInt(30) - 5}",
    r => s"s ${operator(r)} '${word(r)}'",
    r => s"s IN ('${word(r)}', '${word(r)}')",
    r => s"x ${operator(r)} X'${Seq("", "61", "6162", "C3")(r.nextInt(4))}'",
    r => s"contains(s, '${word(r).take(2)}')",
    r => s"day ${operator(r)} DATE'20${r.nextInt(40) + 10}-01-01'",
    r => s"ts ${operator(r)} TIMESTAMP'19${r.nextInt(40) + 60}-01-01 00:00:00'",
    r => s"${schema.fieldNames(r.nextInt(schema.size))} IS NULL",
    _ => "b"
  )

  private def operator(r: Random): String = Seq("=", "<=>", "<>", "<", "<=", ">", ">=")(r.nextInt(7))
  private def word(r: Random): String = words(r.nextInt(words.size - 1))

  def generate(r: Random, depth: Int): String =
    if (depth == 0) atoms(r.nextInt(atoms.size))(r)
    else
      r.nextInt(4) match {
        case 0 => s"NOT (${generate(r, depth - 1)})"
        case 1 => s"(${generate(r, depth - 1)} OR ${generate(r, depth - 1)})"
        case 2 => s"(${generate(r, depth - 1)} AND ${generate(r, depth - 1)})"
        case _ => generate(r, 0)
      }
}
