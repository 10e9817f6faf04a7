package io.sparklance.spark.search

import java.io.File

import org.apache.commons.io.FileUtils

import io.sparklance.spark.SparkSuite

/** Round trips, requests and bytes of searches in a distant store, from opening the table to its rows. */
class SearchRoundsSuite extends SparkSuite {
  private val rows = 40000

  private def made(from: Int, count: Int) = sql(
    s"""SELECT id, concat('k', id div ${rows / 10}) AS kind,
       |  concat_ws(' ', transform(sequence(1, 12), i -> concat('w', abs(hash(id, i)) % 500))) AS words,
       |  md5(cast(id AS STRING)) AS name,
       |  transform(sequence(0, 15), d -> CAST(hash(id, d) / 1e9 AS FLOAT)) AS v
       |FROM (SELECT /*+ REPARTITION(1) */ id + $from AS id FROM range(0, $count, 1, 1)) ORDER BY hash(id)""".stripMargin
  ).write.format("lance").option("v.arrow.fixed-size-list.size", "16").mode("append")
    .option("maxRowsPerFile", rows / 2)

  private def index(at: String): Unit = {
    sql(
      s"CREATE INDEX by_v ON lance.`$at` USING ivf_pq (v) OPTIONS (num_partitions = 64, num_sub_vectors = 4, max_iters = 4)"
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
    Searched("vector", near(_, _, ""), cold = Most(8, 1500000), warm = Most(3, 1200000)),
    Searched("refined", near(_, _, ", refine_factor => 2"), Most(10, 3600000), Most(4, 3400000)),
    Searched("filtered", filtered, Most(10, 1500000), Most(4, 1100000)),
    Searched("text", texts, Most(8, 1000000), Most(4, 500000)),
    Searched(
      "key",
      (at, n) => s"SELECT name FROM lance.`$at` WHERE id = ${n * 7919}",
      Most(8, 330000),
      Most(3, 140000)
    ),
    Searched("keys", keys, Most(8, 1300000), Most(3, 950000)),
    Searched("count", (at, _) => s"SELECT count(*) FROM lance.`$at`", Most(2, 2000), Most(1, 0))
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

  /** A table with two segments of each index, a fragment that none covers, and deleted rows. */
  private lazy val grown: String = {
    val at = freshPath()
    made(0, rows / 4).save(at)
    index(at)
    made(rows / 4, rows / 4).save(at)
    for (name <- Seq("by_v", "by_words", "by_id", "by_kind"))
      sql(s"ALTER TABLE lance.`$at` REFRESH INDEX $name")
    sql(s"DELETE FROM lance.`$at` WHERE id % 100 = 0 AND id > 0")
    made(rows, 100).save(at)
    at
  }

  /** The first query opens the table, the second one is another of its kind. */
  private def assertTaken(table: String, searched: Searched, more: Int): Unit =
    withSetting("fs.rounds.impl", classOf[RoundsDisk].getName) {
      val at = s"rounds://${searched.name}$table"
      for ((step, n, most) <- Seq(("cold", 1, searched.cold), ("warm", 2, searched.warm))) {
        val expected = sql(searched.query(table, n)).collect().toVector
        val taken = Rounds.during(assert(sql(searched.query(at, n)).collect().toVector == expected))
        info(s"$step: ${taken.rounds} rounds, ${taken.requests} requests, ${taken.bytes} bytes")
        val log = taken.log.mkString("\n", "\n", "")
        assert(taken.rounds <= most.rounds + more && (more > 0 || taken.bytes <= most.bytes), log)
      }
    }

  test("a table at the place of a deleted one is read, and a restored version") {
    withSetting("fs.rounds.impl", classOf[RoundsDisk].getName) {
      val at = freshPath()
      def read() = load(s"rounds://again$at").collect().map(_.getLong(0)).toSet
      def write(id: Int) =
        sql(s"SELECT CAST($id AS BIGINT) AS id").write.format("lance").mode("append").save(at)
      write(1)
      assert(read() == Set(1L))
      assert(Rounds.during(assert(read() == Set(1L))).requests == 1)
      FileUtils.deleteDirectory(new File(at))
      write(2)
      assert(read() == Set(2L))
      write(3)
      assert(read() == Set(2L, 3L))
      sql(s"CALL lance.system.restore('$at', 1)").collect()
      assert(read() == Set(2L))
    }
  }

  for (searched <- queries) {
    test(s"${searched.name}: rounds and bytes, cold and warm")(assertTaken(plain, searched, more = 0))
    test(s"${searched.name}: rounds with segments, deleted rows and rows outside of indices") {
      assertTaken(grown, searched, more = 4)
    }
  }
}

/** @param query by the path of the table, and a number */
final private case class Searched(name: String, query: (String, Int) => String, cold: Most, warm: Most)

/** The greatest number of rounds and bytes of a query. */
final private case class Most(rounds: Int, bytes: Long)
