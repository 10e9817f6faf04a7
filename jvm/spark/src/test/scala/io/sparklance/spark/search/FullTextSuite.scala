package io.sparklance.spark.search

import java.nio.file.{Files, Paths}

import scala.jdk.CollectionConverters._
import scala.util.{Random, Using}

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.Assertion

import io.sparklance.spark.{Ring, SparkSuite}

/** Searches for texts, from SQL and by option `fullTextQuery`, in tables whose indices pylance built
  * (`tests/golden/text.py`) and in ones without an index.
  */
class FullTextSuite extends SparkSuite {
  private val mapper = new ObjectMapper
  private val golden = Paths.get("tests/golden/text").toAbsolutePath

  private def cases: Vector[String] = Using.resource(Files.list(golden)) { paths =>
    paths.iterator.asScala.filter(p => Files.exists(p.resolve("queries.json"))).map(_.getFileName.toString)
      .toVector.sorted
  }

  cases.foreach { name =>
    test(s"a batch of queries gives the rows and scores of pylance: $name") {
      val queries =
        mapper.readTree(golden.resolve(name).resolve("queries.json").toFile).elements.asScala.toVector
      queries.filterNot(_.has("error")).groupBy(q => (q.get("limit"), q.get("fast"))).foreach {
        case ((limit, fast), some) => compare(name, limit, fast, some)
      }
    }
  }

  private def compare(name: String, limit: JsonNode, fast: JsonNode, queries: Vector[JsonNode]): Unit = {
    val asked = queries.map(_.get("query")).mkString("[", ",", "]")
    val json = s"""{"query": $asked, "limit": $limit, "fast_search": $fast}"""
    val found = spark.read.format("lance").option("fullTextQuery", json).load(s"$golden/$name/t.lance")
      .select("query_index", "_rowaddr", "_score").collect().groupBy(_.getInt(0))
    queries.zipWithIndex.foreach { case (query, i) =>
      val rows = found.getOrElse(i, Array.empty[Row])
      val theirs = query.get("addresses").elements.asScala.map(_.longValue).zip(
        query.get("scores").elements.asScala.map(_.floatValue)
      ).toMap
      assert(rows.length == theirs.size, s"$query")
      val scores = theirs.values.toVector.sorted.reverse
      rows.zip(scores).foreach { case (row, score) => assertClose(row.getFloat(2), score) }
      assert(!limit.isNull || rows.map(_.getLong(1)).toSet == theirs.keySet)
      // Rows with the score of the last one may be others.
      rows.foreach(row => theirs.get(row.getLong(1)).foreach(assertClose(row.getFloat(2), _)))
    }
  }

  private def assertClose(a: Float, b: Float): Assertion =
    assert(math.abs(a - b) <= 1e-5 * math.max(math.abs(a), math.abs(b)) + 1e-5, s"$a is not $b")

  /** Six texts, one of them null, without an index. */
  private lazy val path: String = {
    val at = freshPath()
    sql(
      """SELECT * FROM VALUES
        |(1, 'the quick brown fox', 'animals', array(0F, 1F)),
        |(2, 'Quick thoughts on brown bread', 'food', array(1F, 0F)),
        |(3, 'a lazy dog', 'animals', array(0.9F, 0.1F)),
        |(4, NULL, 'nothing', array(0.5F, 0.5F)),
        |(5, '', 'brown', array(0.2F, 0.8F)),
        |(6, 'brown brown fox', 'animals', NULL) AS t(id, body, kind, v)""".stripMargin
    ).write.format("lance").option("v.arrow.fixed-size-list.size", "2").option("maxRowsPerFile", "2").save(at)
    at
  }

  private def ids(frame: DataFrame): Vector[Int] = frame.select("id").collect().toVector.map(_.getInt(0))
  private def fts(rest: String): DataFrame = sql(s"SELECT * FROM lance_fts('$path', $rest)")
  private def found(json: String): DataFrame =
    spark.read.format("lance").option("fullTextQuery", json).load(path)

  test("without an index, texts are scored as they stand") {
    val all = fts("'body', 'brown fox'")
    assert(all.columns.toVector == Vector("id", "body", "kind", "v", "_score"))
    assert(ids(all) == Vector(6, 1, 2))
    val scores = all.select("_score").collect().map(_.getFloat(0))
    assert(scores.sameElements(scores.sorted.reverse) && scores.forall(_ > 0))
    assert(ids(fts("'body', 'Brown'")).isEmpty)
  }

  test("arguments have names, also those of other engines") {
    assert(ids(sql(s"SELECT * FROM search(query => 'brown', search_columns => 'BODY', table => '$path', " +
      "num_results => 1)")) == Vector(6))
    assert(ids(fts("'body', 'brown fox', operator => 'and'")).toSet == Set(1, 6))
    assert(ids(fts("'body', 'brown fox', slop => 0")).toSet == Set(1, 6))
    assert(ids(fts("'body', 'brown', k => 2, offset => 1")).size == 2)
    assert(ids(fts("array('body', 'kind'), 'brown'")).toSet == Set(1, 2, 5, 6))
    val boosted = fts("'body', 'brown', boost => 2.0").select("_score").head().getFloat(0)
    assertClose(boosted, 2 * fts("'body', 'brown'").select("_score").head().getFloat(0))
  }

  test("a search for no rows, or for more than there can be, is refused") {
    for (k <- Seq("0", "-1"))
      assert(refusal(fts(s"'body', 'brown', k => $k")).contains(s"must be a whole number above 0, not $k."))
    for ((k, offset) <- Seq(("1", "-1"), ("2147483647", "1"), ("1", "9223372036854775807")))
      assert(refusal(fts(s"'body', 'brown', k => $k, offset => $offset")).contains(s"after $offset others"))
  }

  test("a structured query, and several queries") {
    val json = """{"boolean": {"must": [{"match": {"column": "body", "terms": "brown"}}],
      "must_not": [{"match": {"column": "Body", "terms": "fox"}}]}}"""
    assert(ids(sql(s"SELECT * FROM lance_fts('$path', query => '$json')")) == Vector(2))
    val several = fts("'body', array('lazy', 'brown', 'none'), k => 1")
    assert(several.columns.head == "query_index")
    assert(several.select("query_index", "id").collect().toVector == Vector(Row(0, 3), Row(1, 6)))
  }

  test("a filter says among which rows to search, or applies to the rows found") {
    assert(ids(fts("'body', 'brown', k => 1, filter => 'id < 3'")) == Vector(1))
    assert(ids(fts("'body', 'brown', k => 1, filter => 'id < 3', prefilter => false")).isEmpty)
    assert(ids(fts("'body', 'brown'").where("id > 1")) == Vector(6, 2))
    val among = s"id IN (SELECT max(id) FROM lance.`$path`)"
    assert(ids(fts(s"'body', 'brown', filter => '$among'")) == Vector(6))
  }

  test("columns are pruned, rows counted and the search explained") {
    assert(found("""{"query": "brown", "columns": ["body"]}""").count() == 3)
    assert(found("""{"query": "brown", "columns": "body"}""").select("_score", "_rowaddr").count() == 3)
    val plan = found("""{"query": "brown", "columns": "body", "limit": 2, "filter": "id < 7"}""")
      .queryExecution.executedPlan.toString
    assert(plan.contains("best 2 by text of body, without an index, among rows with id < 7"))
    val indexed =
      spark.read.format("lance").option("fullTextQuery", "Library").load(s"$golden/0_appended/t.lance")
    val explained = indexed.queryExecution.executedPlan.toString
    assert(explained.contains(
      "all matches by text of t, by index t_idx (segments: 1, partitions: 1, rows outside: "
    ))
  }

  test("a query without words finds nothing") {
    for (words <- Seq("", "   ", "!?", "\"")) assert(ids(fts(s"'body', '$words'")).isEmpty)
    val indexed = s"$golden/1_plain/t.lance"
    for (words <- Seq("", "the of", "\"the"))
      assert(sql(s"SELECT * FROM lance_fts('$indexed', query => '$words')").count() == 0)
  }

  test("what does not fit is refused with a reason") {
    def refused(call: String): String = refusal(sql(s"SELECT * FROM $call").collect())
    assert(refused(s"lance_fts('$path', 'id', 'x')").contains("Column 'id' has no texts"))
    assert(refused(s"lance_fts('$path', 'none', 'x')").contains("There is no column 'none'"))
    assert(refused(s"lance_fts('$path', query => 'x')").contains("full-text index"))
    assert(refused(s"lance_fts('$path', 'body')").contains("needs the argument 'query'"))
    assert(refused(s"lance_fts('$path', 'body', 'x', fuzziness => -1)").contains("'fuzziness' is -1"))
    assert(refused(s"lance_fts('$path', 'body', 'x', operator => 'xor')").contains("operator 'xor'"))
    assert(
      refused(s"lance_fts('$path', 'body', 'x', slop => 1, operator => 'and')").contains("no 'operator'")
    )
    assert(refused(s"lance_fts('$path', 'body', '{\"near\": 1}')").contains("'near' is not one of"))
    assert(refused(s"lance_fts('$path', 'body', '{\"match\": {\"column\": \"body\", \"terms\": \"x\"}}')")
      .contains("names its columns itself"))
    assert(refused(s"lance_fts('$path', 'body', array('a', 'b'), offset => 2)").contains("'offset'"))
    assert(refused(s"lance_fts('$golden/0_appended/t.lance', 't', 'Library are', slop => 0)")
      .contains("does not have the positions of words"))
    assert(refusal(found("{").count()).contains("JSON object"))
    assert(refusal(found("""{"query": "x", "kk": 1}""").count()).contains("no 'kk'"))
    val both = spark.read.format("lance").option("nearest", "{}").option("fullTextQuery", "x")
    assert(refusal(both.load(path).count()).contains("different searches"))
  }

  test("predicates compare any texts with words, in every place of a condition") {
    def rows(condition: String) = ids(sql(s"SELECT id FROM lance.`$path` WHERE $condition")).toSet
    assert(rows("lance_match(body, 'FOXES bread')") == Set(1, 2, 6))
    assert(rows("lance_match_phrase(body, 'quick brown')") == Set(1))
    assert(rows("NOT lance_match(body, 'brown')") == Set(3, 5))
    assert(rows("lance_match(body, 'dogs') OR lance_match_phrase(kind, 'foods') OR id = 4") == Set(2, 3, 4))
    assert(rows("lance_match(body, 'quick fox', '{\"operator\": \"and\"}')") == Set(1))
    assert(rows("lance_match_phrase(body, 'quick on', '{\"remove_stop_words\": false, \"slop\": 1}')") ==
      Set(2))
    assert(rows("lance_match(body, '')").isEmpty)
    assert(sql("SELECT lance_match('Der Häuser', 'haus', '{\"language\": \"German\"}')").head().getBoolean(0))
    assert(refusal(rows("lance_match(body, 'x', '{\"lang\": 1}')")).contains("no setting 'lang'"))
    assert(refusal(rows("lance_match(body, 'x', '{\"base_tokenizer\": \"jieba\"}')")).contains("jieba"))
  }

  private val appended = s"lance.`$golden/0_appended/t.lance`"

  private def read(condition: String, use: Boolean): Set[Any] =
    withSetting("spark.datasource.lance.useScalarIndex", use.toString)(
      sql(s"SELECT id FROM $appended WHERE $condition").collect().map(_.get(0)).toSet
    )

  test("an index finds the rows of a predicate, and rows that it does not cover are read") {
    for (
      condition <- Seq(
        "lance_match(t, 'library')",
        "lance_match(t, 'library software') AND lance_match(t, 'are')",
        "lance_match(t, 'library') OR lance_match(t, 'foundation', '{\"operator\": \"and\"}')",
        "NOT lance_match(t, 'library')",
        "lance_match(t, 'library', '{\"stem\": false}')"
      )
    ) assert(read(condition, use = true) == read(condition, use = false), condition)
  }

  test("conditions around a match choose the same rows with an index and without, nulls with them") {
    val seed = Random.nextInt()
    val random = new Random(seed)
    def one(from: String*): String = from(random.nextInt(from.size))
    def condition(depth: Int): String = {
      def part: String = condition(depth - 1)
      val atom = one(
        s"lance_match(t, '${one("library", "software foundation", "of", "nowhere")}')",
        "lance_match_phrase(t, 'free software')",
        s"id % ${one("2", "3")} = 1",
        "t IS NULL",
        "true"
      )
      if (depth == 0) atom
      else
        one(
          s"($part) IS NULL",
          s"($part) IS NOT NULL",
          s"NOT ($part)",
          s"($part) AND ($part)",
          s"($part) OR ($part)",
          s"($part) = ${one("true", "false")}",
          s"($part) <=> ${one("true", "false", "NULL", s"($part)")}",
          s"($part) IS NOT ${one("TRUE", "FALSE", "UNKNOWN")}",
          s"coalesce($part, ${one("true", "false")})",
          s"if($part, $part, $part)",
          s"($part) IN (${one("true", "false", "true, NULL")})",
          atom
        )
    }
    val fixed = Seq("lance_match(t, 'library') IS NULL", "lance_match(t, 'library') IS NOT NULL")
    for (text <- fixed ++ Seq.fill(if (Ring.isFull) 500 else 20)(condition(1 + random.nextInt(3))))
      assert(read(text, use = true) == read(text, use = false), s"$text, seed $seed")
  }

  test("a phrase has an identifier or its words, wherever either stands") {
    val (at, settings) =
      (freshPath(), "'base_tokenizer', 'code', 'split_identifiers', 'true', 'with_position', 'true'")
    sql(
      """SELECT * FROM VALUES
        |(1, 'user name x userName y user user'),
        |(2, 'userName y userName y user user user name x'),
        |(3, 'userName y'),
        |(4, 'name x') AS t(id, c)""".stripMargin
    ).write.format("lance").save(at)
    sql(s"CALL lance.system.create_index('$at', 'c', 'inverted', options => map($settings))")
    val phrase =
      "lance_match_phrase(c, 'userName x', '{\"base_tokenizer\": \"code\", \"split_identifiers\": true}')"
    assert(ids(sql(s"SELECT id FROM lance.`$at` WHERE $phrase")).toSet == Set(1, 2))
    assert(ids(sql(s"SELECT id FROM lance_fts('$at', 'c', 'userName x', slop => 0)")).toSet == Set(1, 2))
  }

  test("marks stand around words that match") {
    def marked(call: String) = sql(s"SELECT lance_highlight($call)").head().getString(0)
    assert(marked("'The running fox, runs.', 'run'") == "The <b>running</b> fox, <b>runs</b>.")
    assert(marked("'Café au lait', 'cafe', '[', ']'") == "[Café] au lait")
    assert(marked("'Der Häuser', 'haus', '*', '*', '{\"language\": \"German\"}'") == "Der *Häuser*")
    assert(marked("'no match', 'other'") == "no match")
    assert(sql("SELECT lance_highlight(NULL, 'x')").head().isNullAt(0))
  }

  test("a hybrid search ranks the rows of both searches") {
    def hybrid(rest: String) = sql(
      s"SELECT * FROM lance_hybrid_search('$path', vector => array(0, 1), text => 'brown', text_columns => 'body'$rest)"
    )
    val first = hybrid("")
    assert(first.columns.takeRight(3).toVector == Vector("_distance", "_score", "_relevance_score"))
    val near = ids(sql(s"SELECT * FROM lance_vector_search('$path', 'v', array(0, 1), k => 40)"))
    val texts = ids(fts("'body', 'brown', k => 40"))
    val expected = (near ++ texts).distinct.map { id =>
      id -> Seq(near, texts).map(_.indexOf(id)).filter(_ >= 0).map(rank => 1.0 / (rank + 60)).sum
    }.sortBy(-_._2)
    assert(first.select("_relevance_score").collect().toVector.map(_.getFloat(0)) ==
      expected.map(_._2.toFloat))
    assert(ids(first).toSet == expected.map(_._1).toSet && ids(first).head == expected.head._1)
    val other = first.where("id = 6").select("_distance", "_score").head()
    assert(other.isNullAt(0) && !other.isNullAt(1))
    assert(ids(hybrid(", alpha => 1.0, k => 1")) == near.take(1))
    assert(ids(hybrid(", alpha => 0.0, k => 1")) == texts.take(1))
    assert(ids(hybrid(", filter => 'id > 1', k => 3")).toSet.subsetOf(Set(2, 3, 4, 5, 6)))
    assert(refusal(hybrid(", alpha => 2").collect()).contains("from 0 to 1"))
    assert(refusal(hybrid(", alpha => 0.5, rrf_k => 60").collect()).contains("exclude each other"))
    assert(refusal(hybrid(", k => 10, candidates => 2").collect()).contains("below 'k'"))
  }
}
