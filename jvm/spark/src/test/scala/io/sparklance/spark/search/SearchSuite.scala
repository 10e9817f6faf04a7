package io.sparklance.spark.search

import java.nio.file.{Files, Path, Paths}

import org.apache.spark.sql.{DataFrame, Encoders, Row}

import io.sparklance.spark.SparkSuite

/** Searches from SQL and by option `nearest`: the rows that an ORDER BY of all distances puts first. */
class SearchSuite extends SparkSuite {

  /** 400 rows in four fragments; row 7 has no vector, rows 20 to 29 are deleted. */
  private lazy val path: String = {
    val at = freshPath()
    sql(
      s"""SELECT id, id % 7 AS kind, concat('n', id) AS name, IF(id = 7, NULL, transform(sequence(0, 7),
         |  d -> CAST(sin(id * (d + 1)) AS FLOAT))) AS v FROM range(400)""".stripMargin
    ).write.format("lance").option(
      "v.arrow.fixed-size-list.size",
      "8"
    ).option("maxRowsPerFile", "100").save(at)
    sql(s"DELETE FROM lance.`$at` WHERE id BETWEEN 20 AND 29").collect()
    at
  }

  private val query = "transform(sequence(0, 7), d -> CAST(cos(d) AS FLOAT))"
  private lazy val vector = sql(s"SELECT $query").head().getSeq[Float](0)
  private lazy val literal = vector.map(x => s"${x}D").mkString("array(", ", ", ")")
  private lazy val json = vector.mkString("[", ", ", "]")

  private def expected(k: Int, metric: String = "l2", condition: String = "true"): Vector[(Long, Float)] =
    sql(
      s"""SELECT id, d FROM (SELECT id, _rowaddr AS a, lance.$metric(v, $query) AS d FROM lance.`$path`
         |WHERE v IS NOT NULL AND $condition) ORDER BY d, a LIMIT $k""".stripMargin
    ).collect().toVector.map(row => row.getLong(0) -> row.getFloat(1))

  private def found(frame: DataFrame): Vector[(Long, Float)] =
    frame.select("id", "_distance").collect().toVector.map(row => row.getLong(0) -> row.getFloat(1))

  private def assertSame(found: Vector[(Long, Float)], expected: Vector[(Long, Float)]): Unit = {
    assert(found.map(_._1) == expected.map(_._1))
    found.zip(expected).foreach { case ((_, a), (_, b)) => assert(math.abs(a - b) <= 1e-5) }
  }

  private def search(rest: String = ""): DataFrame =
    sql(s"SELECT * FROM lance_vector_search('$path', 'v', $literal$rest)")

  test("the nearest rows come in order, with all columns and the distance") {
    assert(search().columns.toVector == Vector("id", "kind", "name", "v", "_distance"))
    assertSame(found(search()), expected(10))
    assertSame(found(search(", 3")), expected(3))
    val whole = search(", k => 2").collect().head
    assert(whole.getString(2) == s"n${whole.getLong(0)}" && whole.getSeq[Float](3).size == 8)
  }

  test("arguments have names, also those of other engines") {
    val call =
      s"vector_search(query_vector => $literal, vector_column => 'v', table => '$path', num_results => 4, " +
        "distance_type => 'COSINE')"
    assertSame(found(sql(s"SELECT * FROM $call")), expected(4, "cosine"))
    assertSame(found(search(", k => 4, metric => 'dot'")), expected(4, "dot"))
  }

  test("a table with a name, at a version of a view, and in a join") {
    val name = s"searched_${java.util.UUID.randomUUID().toString.take(8)}"
    sql(s"CREATE TABLE $name USING lance LOCATION '$path'")
    val call = s"lance_vector_search('$name', 'V', $literal, k => 5)"
    assertSame(found(sql(s"SELECT * FROM $call")), expected(5))
    sql(s"CREATE TEMPORARY VIEW nearest_$name AS SELECT * FROM $call")
    val joined = sql(
      s"SELECT n.id, _distance FROM nearest_$name n JOIN $name t ON n.id = t.id ORDER BY _distance"
    )
    assertSame(joined.collect().toVector.map(r => r.getLong(0) -> r.getFloat(1)), expected(5))
    sql(s"DROP TABLE $name")
  }

  test("a filter says among which rows to search, whoever evaluates it") {
    for (
      condition <- Seq(
        "kind = 3",
        "id > 100 AND name LIKE 'n1%'",
        "id % 5 = 2",
        "kind = 3 AND length(name) > 3",
        "size(v) = 8 AND id % 2 = 0",
        "_rowaddr < 50",
        s"id IN (SELECT id + 1 FROM lance.`$path` WHERE kind = 1)",
        "id < 0",
        "false"
      )
    ) {
      val quoted = condition.replace("'", "\\'")
      assertSame(found(search(s", k => 6, filter => '$quoted'")), expected(6, "l2", condition))
    }
  }

  test("without prefilter, the filter applies to the nearest rows") {
    val later = found(search(", k => 50, filter => 'kind = 3', prefilter => false"))
    assert(later == found(search(", k => 50").where("kind = 3")))
    assert(later.size < 50 && later.nonEmpty)
  }

  test("many splits, and a filter that selects many rows by a subquery") {
    def read(more: String) = spark.read.format("lance").option("splitRows", "13")
      .option("nearest", s"""{"column": "v", "q": $json, "k": 20$more}""").load(path)
    assertSame(found(read("")), expected(20))
    val subquery = s"id NOT IN (SELECT id FROM lance.`$path` WHERE kind = 1)"
    assertSame(found(read(s""", "filter": "$subquery"""")), expected(20, "l2", subquery))
  }

  test("a batch of queries has an answer for each") {
    val both = sql(
      s"SELECT * FROM lance_vector_search('$path', 'v', array($literal, array(0, 0, 0, 0, 0, 0, 0, 1)), k => 3)"
    )
    assert(both.columns.toVector == Vector("query_index", "id", "kind", "name", "v", "_distance"))
    val rows = both.collect().toVector
    assert(rows.map(_.getInt(0)) == Vector(0, 0, 0, 1, 1, 1))
    assertSame(rows.take(3).map(r => r.getLong(1) -> r.getFloat(5)), expected(3))
    assert(sql(s"SELECT count(*) FROM lance_vector_search('$path', 'v', array($literal), k => 3)").head() ==
      Row(3L))
  }

  test("distances of a range") {
    val all = expected(400)
    val (from, to) = ((all(19)._2 + all(20)._2) / 2, (all(30)._2 + all(31)._2) / 2)
    val inside = found(search(s", k => 400, lower_bound => ${from}D, upper_bound => ${to}D"))
    assertSame(inside, all.filter { case (_, d) => d >= from && d < to })
    val open = spark.read.format("lance").option(
      "nearest",
      s"""{"column": "v", "q": $json, "k": 400,
      "distance_range": [null, $to]}"""
    ).load(path)
    assertSame(found(open), all.filter(_._2 < to))
  }

  test("only the required columns are read, metadata columns too") {
    val places = search(", k => 5").select("_distance", "_rowid", "_rowaddr", "_fragid").collect()
    assert(places.forall(r => r.getLong(1) == r.getLong(2) && r.getLong(3) == r.getLong(2) >> 32))
    assert(search(", k => 5").select("_rowaddr", "_distance").collect().map(_.getLong(0)).toVector ==
      places.map(_.getLong(2)).toVector)
    assert(search(", k => 5").select("_distance").collect().length == 5)
    assert(search(", k => 5").count() == 5)
  }

  test("more rows than a table has") {
    assert(search(", k => 5000").count() == 389)
    val empty = freshPath()
    sql("SELECT array(1F, 2F) AS v WHERE false").write.format("lance")
      .option("v.arrow.fixed-size-list.size", "2").save(empty)
    assert(sql(s"SELECT * FROM lance_vector_search('$empty', 'v', array(1, 2))").count() == 0)
  }

  test("EXPLAIN names the search, and does not run it") {
    val text = sql(s"EXPLAIN SELECT id FROM lance_vector_search('$path', 'v', $literal, filter => 'id > 5')")
      .head().getString(0)
    assert(text.contains("nearest 10 by l2 of v, exact, among rows with id > 5"))
  }

  test("the plan counts the vectors that were compared") {
    val frame = search(", k => 1").select("id")
    frame.collect()
    val scan =
      frame.queryExecution.executedPlan.collectFirst { case p if p.metrics.contains("vectorsCompared") => p }
    assert(scan.exists(_.metrics("vectorsCompared").value == 390))
  }

  test("a version of the table") {
    assert(
      sql(s"SELECT id FROM lance_vector_search('$path', 'v', $literal, k => 500, version => 1)").count() ==
        399
    )
  }

  test("a filter reads the version and the branch of the search") {
    val at = freshPath()
    sql(
      "SELECT id, id % 7 AS kind, transform(sequence(0, 7), d -> CAST(id AS FLOAT)) AS v FROM range(50)"
    ).write.format("lance").option("v.arrow.fixed-size-list.size", "8").save(at)
    sql(s"CALL lance.system.create_branch('$at', 'exp')").collect()
    sql(s"DELETE FROM lance.`$at` WHERE kind = 3").collect()
    val json = s"""{"column": "v", "q": [1, 1, 1, 1, 1, 1, 1, 1], "k": 40, "filter": "kind IN (SELECT 3)"}"""
    def rows(options: (String, String)*): Long =
      spark.read.format("lance").options(options.toMap + ("nearest" -> json)).load(at).count()
    assert(rows() == 0 && rows("version" -> "1") == 7 && rows("branch" -> "exp") == 7)
  }

  test("a filter reads the table with the options of the search") {
    val at = freshPath()
    sql(
      "SELECT id, id % 7 AS kind, transform(sequence(0, 7), d -> CAST(id AS FLOAT)) AS v FROM range(5000)"
    ).write.format("lance").option("v.arrow.fixed-size-list.size", "8").save(at)
    sql(s"ALTER TABLE lance.`$at` CREATE INDEX broken USING btree (id)").collect()
    val files = Files.walk(Paths.get(at, "_indices")).filter(Files.isRegularFile(_)).toArray
    files.foreach(file => Files.write(file.asInstanceOf[Path], Array.fill[Byte](100)(1)))
    for (filter <- Seq("id = 5", "id = 5 AND id IN (SELECT 5)")) {
      val json = s"""{"column": "v", "q": [1, 1, 1, 1, 1, 1, 1, 1], "filter": "$filter"}"""
      val read = spark.read.format("lance").option("nearest", json)
      assert(refusal(read.load(at).collect()).contains("the index 'broken' cannot be read"))
      assert(read.option("brokenIndices", "scan").load(at).select("id").as[Long](Encoders.scalaLong).head() ==
        5)
    }
  }

  test("calls that cannot be answered say so") {
    def wrong(call: String): String = refusal(sql(s"SELECT * FROM lance_vector_search($call)").collect())
    assert(wrong(
      s"'$path', 'w', $literal"
    ).contains("has no column 'w', so there is nothing to search. Columns with vectors: v."))
    assert(wrong(s"'$path', 'name', $literal").startsWith("Column 'name' of"))
    assert(wrong(s"'$path', 'v', array(1, 2)").startsWith("The query vector has 2 items"))
    assert(wrong(s"'$path', 'v', array('a')").contains("must be an array of numbers"))
    assert(wrong(s"'$path', 'v', array(array(array(1)))").contains("neither a vector nor a list"))
    assert(wrong(s"'$path', 'v', array()").contains("must be an array of numbers"))
    assert(wrong(s"'$path', 'v', array(1, NULL)").contains("a null among its items"))
    assert(wrong(s"'$path', 'v', $literal, k => 0").contains("'k' must be a whole number above 0"))
    assert(wrong(s"'$path', 'v', $literal, metric => 'l1'").contains("one of l2, cosine, dot, hamming"))
    assert(
      wrong(s"'$path', 'v', $literal, metric => 'hamming'").contains("does not compare vectors of float")
    )
    assert(search(", use_index => true, fast_search => true").count() == 0, "no row is in an index")
    assert(wrong(s"'$path', 'v', $literal, probes => 3").contains("has no argument 'probes'"))
    assert(wrong(s"'$path', 'v', $literal, column => 'v'").contains("has the argument 'column' twice"))
    assert(wrong(s"'$path', 'v'").contains("needs the argument 'query'"))
    assert(wrong(s"'$path', 'v', array(rand())").contains("must be a constant"))
    assert(wrong(s"'$path', 'v', array(double('NaN'), 1, 1, 1, 1, 1, 1, 1)").contains("NaN"))
    assert(wrong("'/no/such/table', 'v', array(1)").contains("There is no Lance table"))
  }

  test("the option is for paths, and has no other keys") {
    def refused(json: String): String =
      refusal(spark.read.format("lance").option("nearest", json).load(path).collect())
    assert(refused("nearest").contains("must be a JSON object"))
    assert(refused(s"""{"column": "v", "q": $json, "limit": 3}""").contains("it has no 'limit'"))
    assert(refused(s"""{"q": $json}""").contains("it must have 'column'"))
    assert(refused(s"""{"column": "v", "q": $json, "distance_range": [1]}""").contains("'distance_range'"))
    val message = refusal(
      spark.read.format("lance").option(
        "nearest",
        s"""{"column": "v", "q": $json}"""
      ).schema("id BIGINT").load(path)
    )
    assert(message.startsWith("A schema was given together with option 'nearest'"))
    val named = s"lance.`$path`"
    assert(refusal(spark.read.option("nearest", s"""{"column": "v", "q": $json}""").table(named).collect())
      .contains("is for paths"))
  }

  test("a table with a column of the result's name is not searched") {
    val at = freshPath()
    sql("SELECT 1 AS _distance, array(1F, 2F) AS v").write.format("lance")
      .option("v.arrow.fixed-size-list.size", "2").save(at)
    assert(refusal(sql(s"SELECT * FROM lance_vector_search('$at', 'v', array(1, 2))"))
      .contains("has a column '_distance'"))
  }

  test("columns of lists of vectors take queries of several vectors") {
    val at = freshPath()
    sql(
      """SELECT id, IF(id = 3, NULL, transform(sequence(0, CAST(id % 3 AS INT)),
        |  i -> array(CAST(id AS FLOAT), CAST(i AS FLOAT)))) AS v FROM range(10)""".stripMargin
    ).write.format("lance").option("v.item.arrow.fixed-size-list.size", "2").save(at)
    val one = sql(
      s"SELECT id, _distance FROM lance_vector_search('$at', 'v', array(array(4, 1), array(5, 1)), k => 2)"
    )
    assert(one.collect().toVector == Vector(Row(4L, 1f), Row(5L, 1f)))
    val batch =
      sql(s"SELECT query_index, id FROM lance_vector_search('$at', 'v', array(array(array(4, 1))), k => 1)")
    assert(batch.collect().toVector == Vector(Row(0, 4L)))
  }

  test("searches with different read options are different scans") {
    def plan(batch: Int) = spark.read.format("lance").option("batchSize", batch.toLong)
      .option("nearest", s"""{"column": "v", "q": $json, "k": 3}""").load(path).queryExecution.executedPlan
    assert(plan(10).sameResult(plan(10)) && !plan(10).sameResult(plan(20)))
  }
}
