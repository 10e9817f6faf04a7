package io.sparklance.spark.changes

import java.time.temporal.ChronoUnit.MICROS

import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.BeforeAndAfterAll
import org.scalatest.tags.Slow

import io.sparklance.dataset.Dataset
import io.sparklance.io.LocalStore
import io.sparklance.spark.SparkSuite

/** Reads of what a range of versions has appended or changed. */
@Slow
final class ChangesSuite extends SparkSuite with BeforeAndAfterAll {

  /** A table of which version 2 inserts 1 to 4, 3 updates 2, 4 deletes 3, 5 appends 5, and 6 compacts. */
  private def history(t: String): Unit =
    Seq(
      s"CREATE TABLE $t (id BIGINT, name STRING) USING lance OPTIONS ('enableStableRowIds' = 'true')",
      s"INSERT INTO $t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')",
      s"UPDATE $t SET name = 'B' WHERE id = 2",
      s"DELETE FROM $t WHERE id = 3",
      s"INSERT INTO $t VALUES (5, 'e')",
      s"OPTIMIZE $t"
    ).foreach(sql)

  private val shared = "lance_with_history"

  override def beforeAll(): Unit = {
    super.beforeAll()
    history(shared)
  }

  override def afterAll(): Unit =
    try { val _ = sql(s"DROP TABLE $shared") }
    finally super.afterAll()

  /** Runs a test that only reads a table with this history. */
  private def withHistory[A](body: String => A): A = body(shared)

  private def reading(t: String, options: (String, Any)*): DataFrame =
    spark.read.format("lance").options(options.map { case (k, v) => k -> v.toString }.toMap).load(root(t))

  private def feed(t: String, options: (String, Any)*): DataFrame =
    reading(t, options :+ ("readChangeFeed" -> true): _*)

  private def told(frame: DataFrame): Set[Row] =
    rows(frame.select("id", "name", "_change_type", "_commit_version"))

  test("startingVersion and endingVersion return the rows that commits of the range appended") {
    withHistory { t =>
      val last = Dataset.open(LocalStore, root(t)).version
      assert(rows(reading(t, "startingVersion" -> 3).select("id")) == Set(Row(5)))
      assert(rows(reading(t, "startingVersion" -> 1, "endingVersion" -> 4)) ==
        Set(Row(1, "a"), Row(2, "b"), Row(3, "c"), Row(4, "d")))
      assert(reading(t, "startingVersion" -> 2, "endingVersion" -> last).count() == 5)
      assert(rows(reading(t, "startingVersion" -> 2).where("id > 3").select("name")) ==
        Set(Row("d"), Row("e")))
      assert(rows(spark.read.option("startingVersion", 5).table(t)) == Set(Row(5, "e")))
    }
  }

  test("two ranges of a table in one query are read by themselves") {
    withHistory { t =>
      val both = reading(t, "startingVersion" -> 2, "endingVersion" -> 2).select("id")
        .union(reading(t, "startingVersion" -> 5, "endingVersion" -> 5).select("id"))
      assert(both.collect().map(_.getLong(0)).toSeq.sorted == Seq(1, 2, 3, 4, 5))
      val counts = Seq(2, 5).map(v => reading(t, "startingVersion" -> v, "endingVersion" -> v).count())
      assert(counts == Seq(4, 1))
    }
  }

  test("the change feed has inserts, both images of updates, and deletes, and nothing of a compaction") {
    withHistory { t =>
      val expected = Set(
        Row(1, "a", "insert", 2L),
        Row(2, "b", "insert", 2L),
        Row(3, "c", "insert", 2L),
        Row(4, "d", "insert", 2L),
        Row(2, "b", "update_preimage", 3L),
        Row(2, "B", "update_postimage", 3L),
        Row(3, "c", "delete", 4L),
        Row(5, "e", "insert", 5L)
      )
      assert(told(feed(t, "startingVersion" -> 1)) == expected)
      assert(told(feed(t, "startingVersion" -> 3, "endingVersion" -> 4)) ==
        expected.filter(row => row.getLong(3) == 3 || row.getLong(3) == 4))
      assert(told(feed(t, "startingVersion" -> 1).where("id = 2 AND _change_type LIKE 'update%'")) ==
        expected.filter(_.getLong(3) == 3))
      assert(feed(t, "startingVersion" -> 1).count() == 8)
    }
  }

  test("net changes leave out what a later commit of the range undid") {
    withHistory { t =>
      val net = feed(t, "startingVersion" -> 2, "netChanges" -> true)
      assert(rows(net.select("id", "name", "_change_type")) ==
        Set(Row(1, "a", "insert"), Row(2, "B", "insert"), Row(4, "d", "insert"), Row(5, "e", "insert")))
      val later = feed(t, "startingVersion" -> 3, "netChanges" -> true)
      assert(rows(later.select("id", "name", "_change_type")) == Set(
        Row(2, "b", "update_preimage"),
        Row(2, "B", "update_postimage"),
        Row(3, "c", "delete"),
        Row(5, "e", "insert")
      ))
    }
  }

  test("net changes leave out rows that have their values again, with all kinds of values") {
    withTable { t =>
      sql(
        s"CREATE TABLE $t USING lance OPTIONS ('enableStableRowIds' = 'true') AS SELECT id, concat('n', id) AS name, " +
          "array(id, NULL) AS l, named_struct('a', IF(id = 2, NULL, id)) AS s, CAST('NaN' AS DOUBLE) AS d FROM range(0, 40, 1, 1)"
      )
      sql(s"UPDATE $t SET name = 'x', l = NULL WHERE id < 20")
      sql(s"UPDATE $t SET s = named_struct('a', 7L) WHERE id = 5")
      sql(s"UPDATE $t SET name = concat('n', id), l = array(id, NULL) WHERE id < 18")
      sql(s"UPDATE $t SET d = d WHERE id = 30")
      sql(s"DELETE FROM $t WHERE id = 19")
      def net(of: String) = feed(t, "startingVersion" -> 2, "netChanges" -> true)
        .where(s"_change_type = '$of'").select("id").collect().map(_.getLong(0)).toSeq.sorted
      assert(net("update_preimage") == Seq(5L, 18L) && net("update_postimage") == Seq(5L, 18L))
      assert(net("delete") == Seq(19L) && net("insert").isEmpty)
      sql(s"UPDATE $t SET s = named_struct('a', id), name = concat('n', id), l = array(id, NULL)")
      assert(net("update_postimage") == Seq(2L))
    }
  }

  test("a column that a restored version brings back is no change of its rows") {
    withTable { t =>
      history(t)
      val last = Dataset.open(LocalStore, root(t)).version
      sql(s"ALTER TABLE $t DROP COLUMN name")
      sql(s"DELETE FROM $t WHERE id = 1")
      sql(s"CALL lance.system.restore('${root(t)}', '$last')")
      val restored = feed(t, "startingVersion" -> (last + 3))
      assert(told(restored) == Set(Row(1, "a", "insert", last + 3)))
    }
  }

  test("the feed tells the row id and the time of the commit") {
    withHistory { t =>
      val ids = feed(t, "startingVersion" -> 3, "endingVersion" -> 3).select("_rowid").collect().toSet
      assert(ids == Set(Row(1)))
      val time = Dataset.open(LocalStore, root(t), Some(3)).timestamp
      val found = feed(t, "startingVersion" -> 3, "endingVersion" -> 3).select("_commit_timestamp").head()
      assert(found.getTimestamp(0).toInstant.toEpochMilli == time.toEpochMilli)
      assert(feed(t, "startingVersion" -> 1).columns.toSeq ==
        Seq("id", "name", "_rowid", "_change_type", "_commit_version", "_commit_timestamp"))
    }
  }

  test("timestamps start and end a range") {
    withHistory { t =>
      val times = Dataset.open(LocalStore, root(t)).versions.map(v => v.version -> v.timestamp).toMap
      // SQL shows times without their nanoseconds.
      for (third <- Seq(times(3), times(3).truncatedTo(MICROS))) {
        val found = feed(t, "startingTimestamp" -> third, "endingTimestamp" -> third)
        assert(told(found).map(_.getLong(3)) == Set(3))
      }
      assert(rows(reading(t, "startingTimestamp" -> times(5)).select("id")) == Set(Row(5)))
    }
  }

  test("lance_table_changes is the change feed in SQL") {
    withHistory { t =>
      assert(rows(sql(s"SELECT id, _change_type FROM lance_table_changes('$t', 3, 4)")) ==
        Set(Row(2, "update_preimage"), Row(2, "update_postimage"), Row(3, "delete")))
      assert(sql(s"SELECT * FROM lance_table_changes('${root(t)}', start => 5)").count() == 1)
      assert(sql(s"SELECT * FROM lance_table_changes('$t', 2, 4, net => true)").count() == 3)
      assert(refusal(sql("SELECT * FROM lance_table_changes('t')")).contains("needs the argument 'start'"))
    }
  }

  test("without stable row ids, versions that add rows are read, and others are refused") {
    withTable { t =>
      sql(s"CREATE TABLE $t (id BIGINT) USING lance")
      sql(s"INSERT INTO $t VALUES (1), (2)")
      sql(s"INSERT INTO $t VALUES (3)")
      sql(s"OPTIMIZE $t")
      assert(feed(t, "startingVersion" -> 1).count() == 3)
      assert(feed(t, "startingVersion" -> 1, "netChanges" -> true).count() == 3)
      sql(s"DELETE FROM $t WHERE id = 1")
      assert(refusal(feed(
        t,
        "startingVersion" -> 1
      ).count()).contains("CALL lance.system.enable_stable_row_ids"))
    }
  }

  test("options that exclude each other, and ranges that do not exist, are refused") {
    withTable { t =>
      history(t)
      val last = Dataset.open(LocalStore, root(t)).version
      def message(options: (String, Any)*) = refusal(reading(t, options: _*).collect())
      assert(message("startingVersion" -> 99).contains(s"version 99, which is after its end, version $last"))
      assert(message("startingVersion" -> (last + 2)).contains("is after its end"))
      Seq("net" -> true, "net" -> false).foreach { case (net, value) =>
        assert(sql(s"SELECT * FROM lance_table_changes('$t', ${last + 1}, $net => $value)").isEmpty)
      }
      assert(message("startingVersion" -> 1, "endingVersion" -> 99).contains("ends at version 99"))
      assert(message(
        "startingVersion" -> 1,
        "startingTimestamp" -> "2020-01-01"
      ).contains("exclude each other"))
      assert(message("endingVersion" -> 3).contains("needs option 'startingVersion'"))
      assert(message("netChanges" -> true).contains("needs option 'readChangeFeed'"))
      assert(message(
        "startingVersion" -> 1,
        "version" -> 3
      ).contains("Leave it out; 'endingVersion' ends the range"))
      assert(message("startingVersion" -> "latest").contains("is for streams"))
      assert(message("ignoreDeletes" -> true).contains("is for streams"))
      assert(message("readChangeFeed" -> true).contains("needs its first version"))
      sql(s"INSERT OVERWRITE $t VALUES (9, 'z')")
      assert(message("startingVersion" -> 2).contains("replaced all rows"))
      assert(feed(t, "startingVersion" -> (last + 1)).count() == 5)
    }
  }

  test("rows of a range have the columns of today") {
    withTable { t =>
      history(t)
      sql(s"ALTER TABLE $t RENAME COLUMN name TO title")
      sql(s"ALTER TABLE $t ADD COLUMN more INT")
      assert(rows(reading(t, "startingVersion" -> 1, "endingVersion" -> 2).where("id = 3")) ==
        Set(Row(3, "c", null)))
      assert(rows(feed(t, "startingVersion" -> 4, "endingVersion" -> 4).select("id", "title", "more")) ==
        Set(Row(3, "c", null)))
    }
  }
}
