package io.sparklance.spark.index

import scala.util.Random

import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.tags.Slow

import io.sparklance.spark.{Ring, SparkSuite}

/** Queries that an index answers, alone or together with a scan: the same rows as without. */
@Slow
class IndexAnswersSuite extends SparkSuite {
  private val setting = "spark.datasource.lance.useScalarIndex"

  private def plan(frame: DataFrame): String = frame.queryExecution.executedPlan.toString

  private def run(statement: String): Unit = { val _ = sql(statement) }

  /** Runs a query with indices and without. Returns its rows and its plan with indices. */
  private def both(query: String): (Seq[Row], String) = {
    val with_ = sql(query)
    val (rows, shown) = (with_.collect().toSeq, plan(with_))
    spark.conf.set(setting, "false")
    try {
      val without = sql(query)
      assert(rows == without.collect().toSeq, query)
      assert(!plan(without).contains("ind") || !plan(without).contains("segments:"), query)
    } finally spark.conf.unset(setting)
    (rows, shown)
  }

  /** Fills a table with random rows in several fragments, some deleted, an index of several segments, and
    * fragments that it does not cover.
    */
  private def fill(table: String, chance: Random, stable: Boolean): Unit = {
    sql(
      s"CREATE TABLE $table (id BIGINT, n INT, s STRING, d DOUBLE, day DATE) USING lance " +
        s"TBLPROPERTIES ('lance.write.statistics' = 'none', 'lance.write.enableStableRowIds' = '$stable')"
    )
    def add(rows: Int): Unit = {
      val seed = chance.nextInt(1000)
      run(
        s"INSERT INTO $table SELECT /*+ COALESCE(1) */ id, IF(rand($seed) < 0.1, NULL, CAST(rand(${seed + 1}) * 50 AS INT)), " +
          s"IF(rand(${seed + 2}) < 0.1, NULL, concat('s', CAST(rand(${seed + 3}) * 90 AS INT))), " +
          s"IF(rand(${seed + 4}) < 0.1, double('NaN'), rand(${seed + 5})), date_add(DATE'2020-01-01', CAST(rand($seed) * 99 AS INT)) " +
          s"FROM range($rows)"
      )
    }
    (0 until 2).foreach(_ => add(50 + chance.nextInt(100)))
    Seq("n", "s", "d", "day").foreach(c =>
      sql(s"ALTER TABLE $table CREATE INDEX $c USING btree ($c) WITH (zone_size = 16)")
    )
    sql(s"ALTER TABLE $table CREATE INDEX bits USING bitmap (n)")
    sql(s"DELETE FROM $table WHERE n < 3 OR s > 's85' OR id % 11 = 3")
    add(40)
    Seq("n", "s", "d", "day").foreach(c => sql(s"ALTER TABLE $table REFRESH INDEX $c"))
    if (chance.nextBoolean()) add(30)
    if (chance.nextBoolean()) run(s"UPDATE $table SET n = n + 1 WHERE n % 7 = 2")
    if (chance.nextBoolean()) run(s"DELETE FROM $table WHERE n IS NULL")
  }

  test("minima, maxima and first rows come from B-trees") {
    val chance = new Random(5)
    for (stable <- Ring.inTurns(true, false)) withTable { table =>
      fill(table, chance, stable)
      for (column <- Seq("n", "s", "day")) {
        val (_, ends) = both(s"SELECT min($column), max($column) FROM $table")
        assert(ends.contains(s"$column (BTREE, segments: "), ends)
        for {
          direction <- Seq("ASC", "DESC")
          nulls <- Seq("FIRST", "LAST")
          limit <- Ring.inTurns(1, 7, 60)
        } {
          val order = s"ORDER BY $column $direction NULLS $nulls LIMIT $limit"
          val (_, first) = both(s"SELECT $column FROM $table $order")
          assert(first.contains(s"$column (BTREE, segments: "), first)
        }
      }
      assert(!both(s"SELECT min(d), max(d) FROM $table")._2.contains("segments:"))
      assert(!both(s"SELECT d FROM $table ORDER BY d DESC LIMIT 3")._2.contains("segments:"))
      assert(!both(s"SELECT min(n), count(*) FROM $table")._2.contains("segments:"))
      assert(!both(s"SELECT n FROM $table WHERE n > 5 ORDER BY s, id LIMIT 3")._2.contains("s (BTREE"))
    }
  }

  test("rows are counted by indices where these cover them, and by a scan elsewhere") {
    val chance = new Random(7)
    for (stable <- Ring.inTurns(true, false)) withTable { table =>
      fill(table, chance, stable)
      for (
        condition <-
          Seq("n = 5", "n > 20", "n IS NULL", "n IS NOT NULL", "n IN (4, 5, 99)", "n = 5 OR s = 's7'")
      )
        both(s"SELECT count(*) FROM $table WHERE $condition")
      sql(s"INSERT INTO $table VALUES (1, 5, 's1', 0, DATE'2020-01-01')")
      val (rows, shown) = both(s"SELECT count(*), count(*) FROM $table WHERE n = 5")
      assert(shown.contains("fragments by the index n"), shown)
      assert(rows.head.getLong(0) > 1)
      both(s"SELECT count(id) FROM $table WHERE n = 5")
      both(s"SELECT count(*) FROM $table WHERE n = 5 AND id > 10")
    }
  }

  test("rows of exact answers are not filtered again") {
    withTable { table =>
      fill(table, new Random(9), stable = false)
      for (
        condition <-
          Seq("n = 5", "n > 45 AND s > 's2'", "n IN (7, 8) AND id % 3 = 1", "s LIKE 's3%'", "d < 0.05")
      )
        both(s"SELECT * FROM $table WHERE $condition ORDER BY id, n, s, d")
      assert(plan(sql(s"SELECT * FROM $table WHERE n = 5")).contains("exact in "))
      val delete = sql(s"EXPLAIN DELETE FROM $table WHERE n = 5").head().getString(0)
      assert(delete.contains("n (BTREE, segments: ") && !delete.contains("exact in "), delete)
    }
  }

  test("appends and compactions keep indices fresh") {
    withTable { table =>
      sql(
        s"CREATE TABLE $table (id BIGINT, s STRING) USING lance TBLPROPERTIES ('lance.write.optimizeIndices' = 'true')"
      )
      def add(from: Int): Unit = run(
        s"INSERT INTO $table SELECT /*+ COALESCE(1) */ id, concat('s', id % 7) FROM range($from, ${from + 10})"
      )
      def shown: Seq[Row] = sql(s"SHOW INDEXES IN $table")
        .select("name", "indexed_fragments", "unindexed_fragments").collect().toSeq
      def segments: Long = sql(s"DESCRIBE INDEX i ON $table").select("segments").head().getLong(0)
      add(0)
      sql(s"CREATE INDEX i ON $table USING btree (id)")
      sql(s"CREATE INDEX z ON $table USING zonemap (s)")
      (1 until 9).foreach { i =>
        add(10 * i)
        assert(shown == Seq(Row("i", i + 1, 0), Row("z", i + 1, 0)))
        assert(segments <= 4)
      }
      sql(s"DELETE FROM $table WHERE id % 5 = 0")
      sql(s"OPTIMIZE $table")
      assert(shown.forall(row => row.getLong(1) < 9 && row.getLong(2) == 0))
      assert(both(s"SELECT s FROM $table WHERE id = 44")._1 == Seq(Row("s2")))
      sql(s"ALTER TABLE $table UNSET TBLPROPERTIES ('lance.write.optimizeIndices')")
      add(200)
      sql(s"CALL lance.system.compact(table => '$table', skip_indices => true)")
      assert(shown.forall(_.getLong(2) > 0))
    }
  }

  test("an index is described and its cached parts are read") {
    withTable { table =>
      sql(s"CREATE TABLE $table (id BIGINT, s STRING, l ARRAY<STRING>) USING lance")
      sql(s"INSERT INTO $table SELECT id, concat('s', id % 7), array('a', concat('b', id)) FROM range(100)")
      sql(s"CREATE INDEX i ON $table USING btree (id) OPTIONS (zone_size = 16)")
      val described = sql(s"DESCRIBE INDEX i ON $table")
      assert(described.select("name", "type", "segments", "used_segments", "indexed_rows").head() ==
        Row("i", "BTree", 1, 1, 100))
      assert(described.head().getAs[Map[String, String]]("settings") == Map("zone_size" -> "16"))
      for (
        (kind, column) <-
          Seq("bitmap" -> "s", "zonemap" -> "s", "bloomfilter" -> "s", "ngram" -> "s", "label_list" -> "l")
      )
        sql(s"CREATE INDEX $kind ON $table USING $kind ($column)")
      for (name <- Seq("i", "bitmap", "zonemap", "bloomfilter", "ngram", "label_list"))
        assert(sql(s"CALL lance.system.prewarm_index('$table', '$name')").head().getLong(0) == 1, name)
      assert(refusal(sql(s"DESCRIBE INDEX nothing ON $table")).contains("no index 'nothing'"))
      assert(
        both(s"SELECT id FROM $table WHERE array_contains(l, 'b5') OR array_contains(l, 'b7') ORDER BY id")._2
          .contains("label_list (LABEL_LIST")
      )
    }
  }
}
