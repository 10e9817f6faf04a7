package io.sparklance.spark.search

import org.apache.spark.sql.functions.{col, count, lit}
import org.apache.spark.sql.{AnalysisException, DataFrame, Row}

import io.sparklance.spark.SparkSuite

/** Joins by nearest vectors: for each row of the left side the rows that an ORDER BY of all distances puts
  * first.
  */
class JoinSuite extends SparkSuite {

  /** 300 rows in three fragments; row 7 has no vector, rows 20 to 29 are deleted. */
  private lazy val path: String = {
    val at = freshPath()
    sql(
      s"""SELECT id, id % 7 AS kind, concat('n', id) AS name,
         |IF(id = 7, NULL, transform(sequence(0, 7), d -> CAST(sin(id * (d + 1)) AS FLOAT))) AS v FROM range(300)""".stripMargin
    ).repartition(1).write.format("lance").option("v.arrow.fixed-size-list.size", "8")
      .option("maxRowsPerFile", "100").save(at)
    sql(s"DELETE FROM lance.`$at` WHERE id BETWEEN 20 AND 29").collect()
    at
  }

  private def queries(n: Int): DataFrame =
    sql(
      s"SELECT id AS q, transform(sequence(0, 7), d -> CAST(cos(id + d) AS FLOAT)) AS v FROM range(0, $n, 1, 3)"
    )

  /** The pairs of a join, computed here from the rows of both sides: a query for each pair would take long.
    */
  private def expected(
      left: DataFrame,
      k: Int,
      condition: String = "true",
      metric: String = "l2"
  ): Set[(Long, Long)] = {
    val right = sql(s"SELECT id, v, _rowaddr FROM lance.`$path` WHERE v IS NOT NULL AND $condition").collect()
      .map(row => (row.getLong(0), row.getSeq[Float](1).toVector, row.getLong(2)))
    left.select("q", "v").collect().flatMap { row =>
      val query = row.getSeq[Float](1).toVector
      right.map { case (id, v, address) => (distance(metric, query, v), address, id) }
        .sorted.take(k).map(found => row.getLong(0) -> found._3)
    }.toSet
  }

  private def distance(metric: String, a: Vector[Float], b: Vector[Float]): Float = {
    def product(x: Vector[Float], y: Vector[Float]) = x.zip(y).map { case (p, q) => p.toDouble * q }.sum
    metric match {
      case "l2" => a.zip(b).map { case (p, q) => (p - q).toDouble * (p - q) }.sum.toFloat
      case "dot" => (1 - product(a, b)).toFloat
      case "cosine" => (1 - product(a, b) / math.sqrt(product(a, a) * product(b, b))).toFloat
    }
  }

  private def join(left: DataFrame, rest: String): DataFrame = {
    left.createOrReplaceTempView("join_left")
    sql(s"SELECT * FROM lance_vector_join('join_left', '$path', 'v'$rest)")
  }

  private def pairs(joined: DataFrame): Set[(Long, Long)] =
    joined.select("q", "id").collect().map(r => r.getLong(0) -> r.getLong(1)).toSet

  test("each row comes with its nearest rows, their columns and distances") {
    val joined = join(queries(20), ", k => 3")
    assert(joined.columns.toVector == Vector("q", "v", "id", "kind", "name", "v_right", "_distance"))
    assert(pairs(joined) == expected(queries(20), 3))
    assert(joined.count() == 60)
    val wrong = joined.where("abs(_distance - lance.l2(v, v_right)) > 1e-5 OR name != concat('n', id)")
    assert(wrong.count() == 0)
  }

  test("the left side is broadcast, or each task searches for its rows") {
    for (threshold <- Seq("10m", "-1")) withSetting("spark.sql.autoBroadcastJoinThreshold", threshold) {
      val joined = join(queries(50), ", k => 3, filter => 'kind != 2'")
      assert(joined.queryExecution.executedPlan.toString.contains("queries broadcast") ==
        (threshold == "10m"))
      assert(pairs(joined) == expected(queries(50), 3, "kind != 2"))
      val outer = join(sql("SELECT 1L AS q, CAST(NULL AS ARRAY<FLOAT>) AS v"), ", join_type => 'left'")
      assert(outer.select("q", "id").collect().toVector == Vector(Row(1L, null)))
      assert(join(queries(0), "").count() == 0)
    }
  }

  test("the left side is a view, a table, or a query; arguments have names") {
    val all = expected(queries(5), 2)
    queries(5).createOrReplaceTempView("join_view")
    Seq(
      s"lance_vector_join(TABLE(join_view), '$path', 'v', k => 2)",
      s"lance_vector_join(left => TABLE(SELECT q, v AS w FROM join_view), right => '$path', column => 'v', query_column => 'w', k => 2)",
      s"lance_vector_join('join_view', '$path', 'v', num_results => 2)"
    ).foreach(call => assert(pairs(sql(s"SELECT * FROM $call")) == all, call))
    val table = freshPath()
    queries(5).write.format("lance").save(table)
    assert(pairs(sql(s"SELECT * FROM lance_vector_join('$table', '$path', 'v', k => 2)")) == all)
  }

  test("filters, metrics, ranges and joins of the result") {
    for (condition <- Seq("kind = 3", "id % 5 = 2 AND length(name) > 2", "id < 0"))
      assert(
        pairs(join(queries(10), s", k => 4, filter => '$condition'")) == expected(queries(10), 4, condition)
      )
    for (metric <- Seq("cosine", "dot"))
      assert(
        pairs(join(queries(10), s", k => 4, metric => '$metric'")) == expected(
          queries(10),
          4,
          metric = metric
        )
      )
    val near = join(queries(10), ", k => 300, upper_bound => 6.0")
    assert(near.count() > 0 && near.where("_distance >= 6").count() == 0)
    val counted = join(queries(10), ", k => 4").groupBy("kind").agg(count(lit(1)).as("n"))
    assert(counted.agg("n" -> "sum").head().getLong(0) == 40)
    val twice = join(queries(4), ", k => 1")
    assert(twice.as("a").join(twice.as("b"), col("a.q") === col("b.q")).count() == 4)
  }

  test("a left outer join keeps rows without neighbours; vectors with NULL or NaN have none") {
    val odd = sql(
      """SELECT * FROM VALUES (0L, array(1F, 0F, 0F, 0F, 0F, 0F, 0F, 0F)), (1L, NULL),
        |(2L, array(1F, NULL, 0F, 0F, 0F, 0F, 0F, 0F)), (3L, array(1F, float('NaN'), 0F, 0F, 0F, 0F, 0F, 0F)) AS t(q, v)""".stripMargin
    )
    assert(join(odd, ", k => 2").select("q").collect().map(_.getLong(0)).toVector == Vector(0L, 0L))
    val outer = join(odd, ", k => 2, join_type => 'left'").select("q", "id", "_distance").collect()
    assert(outer.map(_.getLong(0)).sorted.toVector == Vector(0L, 0L, 1L, 2L, 3L))
    assert(outer.filter(_.getLong(0) > 0).forall(r => r.isNullAt(1) && r.isNullAt(2)))
    assert(join(odd, ", join_type => 'left'").select("q").distinct().count() == 4)
  }

  test("only needed columns of the right side are read") {
    def found(frame: DataFrame) =
      frame.queryExecution.optimizedPlan.collectFirst { case j: VectorJoin => j.found.map(_.name) }
    val joined = join(queries(3), ", k => 2")
    assert(found(joined.select("q", "id")).contains(Seq("id")))
    assert(found(joined.where("kind = 1").select("q")).contains(Seq("kind")))
    assert(found(joined.groupBy("q").count()).contains(Seq.empty))
    assert(joined.groupBy("q").count().collect().toSet == Set(0, 1, 2).map(q => Row(q.toLong, 2L)))
  }

  test("by an index, with the exact distances of refined rows and of rows that the index does not cover") {
    val at = freshPath()
    load(path).select("id", "v").write.format("lance").option("v.arrow.fixed-size-list.size", "8").save(at)
    sql(s"CREATE INDEX near ON lance.`$at` USING ivf_sq (v) OPTIONS (num_partitions = 4)")
    load(path).selectExpr("id + 1000 AS id", "v").where("id < 1050")
      .write.format("lance").mode("append").save(at)
    queries(40).createOrReplaceTempView("join_left")
    def call(rest: String) = sql(s"SELECT * FROM lance_vector_join('join_left', '$at', 'v', k => 5$rest)")
    val exact = call(", use_index => false").select("q", "id", "_distance").collect().toSet
    assert(call(", use_index => false").queryExecution.toString.contains("exact"))
    val indexed = call(", nprobes => 4, refine_factor => 10")
    assert(indexed.queryExecution.toString.contains("index near of 1 segment, 40 rows outside of it"))
    assert(indexed.select("q", "id", "_distance").collect().toSet == exact)
    val many = queries(300).orderBy("q").collect().map(_.getSeq[Float](1).mkString("[", ",", "]"))
    val batch = spark.read.format("lance").option(
      "nearest",
      s"""{"column": "v", "q": [${many.mkString(",")}], "k": 5, "nprobes": 4, "refine_factor": 10}"""
    ).load(at).selectExpr("CAST(query_index AS BIGINT)", "id", "_distance")
    assert(batch.where("query_index < 40").collect().toSet == exact && batch.count() == 1500)
    val fast = call(", nprobes => 4, refine_factor => 10, fast_search => true, filter => 'id != 3'")
    assert(fast.where("id >= 1000 OR id = 3").count() == 0 && fast.count() == 200)
  }

  test("what does not fit is refused by name") {
    assert(refusal(
      sql(s"SELECT * FROM lance_vector_join('join_left', '$path')")
    ).contains("needs the argument 'column'"))
    def refused(rest: String, left: DataFrame = queries(2)) = refusal(join(left, rest).collect())
    assert(refused(", query_column => 'w'").contains("no column 'w'"))
    assert(refused(", query_column => 'q'").contains("BIGINT".toLowerCase))
    assert(refused(", join_type => 'full'").contains("no join_type 'full'"))
    assert(refused(", metric => 'hamming'").contains("hamming"))
    assert(refused(", k => 0").contains("'k' must be a whole number above 0"))
    assert(refused(", nprobes => 2, minimum_nprobes => 1").contains("either the one or the others"))
    assert(refused(", version => 9").contains("version 9"))
    assert(refusal(
      sql(s"SELECT * FROM lance_vector_join('join_left', '$path', 'kind', query_column => 'v')")
    ).contains("has no vectors"))
    assert(refused("", sql("SELECT 1L AS q, array(1F, 2F) AS v")).contains("has 2 items"))
    assert(refused("", sql("SELECT 1L AS q, array(1F) AS v, 2F AS _distance")).contains("'_distance'"))
    assert(intercept[AnalysisException](join(queries(1), ", filter => 'nothing = 1'")).getMessage.contains(
      "nothing"
    ))
  }
}
