package io.sparklance.spark.search

import io.sparklance.spark.SparkSuite

/** Round trips, requests and bytes of searches in a distant store, from opening the table to its rows. */
class SearchRoundsSuite extends SparkSuite {
  private val rows = 40000

  private def made(from: Int, count: Int) = sql(
    s"""SELECT id, concat('k', id div 4000) AS kind,
       |  concat_ws(' ', transform(sequence(1, 12), i -> concat('w', abs(hash(id, i)) % 500))) AS words,
       |  md5(cast(id AS STRING)) AS name,
       |  transform(sequence(0, 15), d -> CAST(hash(id, d) / 1e9 AS FLOAT)) AS v
       |FROM (SELECT /*+ REPARTITION(1) */ id + $from AS id FROM range(0, $count, 1, 1)) ORDER BY hash(id)""".stripMargin
  ).write.format("lance").option("v.arrow.fixed-size-list.size", "16").mode("append")
    .option("maxRowsPerFile", "20000")

  private def index(at: String): Unit = {
    sql(
      s"CREATE INDEX by_v ON lance.`$at` USING ivf_pq (v) OPTIONS (num_partitions = 64, num_sub_vectors = 4)"
    )
    sql(s"CREATE INDEX by_words ON lance.`$at` USING inverted (words)")
    sql(s"CREATE INDEX by_id ON lance.`$at` USING btree (id)")
    val _ = sql(s"CREATE INDEX by_kind ON lance.`$at` USING bitmap (kind)")
  }

  private lazy val plain: String = {
    val at = freshPath()
    made(0, rows).save(at)
    index(at)
    at
  }

  private def vector(n: Int) = s"transform(sequence(0, 15), d -> CAST(hash($n, d) / 1e9 AS FLOAT))"
  private def near(at: String, n: Int, more: String) =
    s"SELECT id, name FROM lance_vector_search('$at', 'v', ${literal(n)}, k => 10, nprobes => 20$more)"
  private def literal(n: Int) =
    sql(s"SELECT ${vector(n)}").head().getSeq[Float](0).map(x => s"${x}D").mkString("array(", ", ", ")")

  private val queries = Vector(
    Searched("vector", near(_, _, ""), cold = Most(36, 4700000), warm = Most(17, 2900000)),
    Searched("refined", near(_, _, ", refine_factor => 2"), Most(40, 6200000), Most(20, 4800000)),
    Searched("filtered", filtered, Most(54, 4900000), Most(30, 2800000)),
    Searched("text", texts, Most(28, 950000), Most(19, 600000)),
    Searched(
      "key",
      (at, n) => s"SELECT name FROM lance.`$at` WHERE id = ${n * 7919}",
      Most(13, 400000),
      Most(5, 160000)
    ),
    Searched("keys", keys, Most(13, 1200000), Most(6, 950000)),
    Searched("count", (at, _) => s"SELECT count(*) FROM lance.`$at`", Most(3, 2000), Most(3, 2000))
  )

  private def filtered(at: String, n: Int) = near(at, n, s""", filter => "kind = 'k${n % 10}'" """)
  private def texts(at: String, n: Int) = {
    val words = (3 * n until 3 * n + 3).map(i => s"w$i").mkString(" ")
    s"SELECT id, name FROM lance_fts('$at', query => '$words', columns => 'words')"
  }
  private def keys(at: String, n: Int) = {
    val some = (n until n + 100).map(_ * 397 % rows)
    s"SELECT id, name FROM lance.`$at` WHERE id IN (${some.mkString(", ")})"
  }

  /** The first query opens the table, the second one is another of its kind. */
  for (searched <- queries) test(s"${searched.name}: rounds and bytes, cold and warm") {
    withSetting("fs.rounds.impl", classOf[RoundsDisk].getName) {
      val at = s"rounds://${searched.name}$plain"
      for ((step, n, most) <- Seq(("cold", 1, searched.cold), ("warm", 2, searched.warm))) {
        val expected = sql(searched.query(plain, n)).collect().toVector
        val taken = Rounds.during(assert(sql(searched.query(at, n)).collect().toVector == expected))
        info(s"$step: ${taken.rounds} rounds, ${taken.requests} requests, ${taken.bytes} bytes")
        assert(taken.rounds <= most.rounds && taken.bytes <= most.bytes, taken.log.mkString("\n", "\n", ""))
      }
    }
  }
}

/** @param query by the path of the table, and a number */
final private case class Searched(name: String, query: (String, Int) => String, cold: Most, warm: Most)

/** What a query may take. */
final private case class Most(rounds: Int, bytes: Long)
