package io.sparklance.spark.isolation

import java.nio.file.{Files, Path}

import scala.util.Try

import org.apache.spark.sql.Row
import org.scalatest.tags.Slow

import io.sparklance.RetryableCommitConflictException
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.changes.{CommitEffect, VersionLog}
import io.sparklance.io.LocalStore
import io.sparklance.proto.transaction.{Transaction => Wire}
import io.sparklance.spark.Ring

/** Merges that insert keys which others insert, too, while they run. */
@Slow
final class MergeKeysSuite extends IsolationSuite {
  private val upsert = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
  private val replace = "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *"
  private val insert = "WHEN NOT MATCHED THEN INSERT *"
  private val inserts =
    "WHEN NOT MATCHED AND s.v > 9 THEN INSERT (k) VALUES (s.k) WHEN NOT MATCHED THEN INSERT *"
  private val forms = Seq(upsert, replace, insert, inserts)

  private def merge(t: String, source: String, clauses: String, on: String = "t.k = s.k"): String =
    s"MERGE INTO $t t USING (SELECT $source) s ON $on $clauses"

  private def lost(result: Try[Any]): String = causes(result)
    .collectFirst { case e: RetryableCommitConflictException => e.getMessage }
    .getOrElse(fail(s"no conflict: $result"))

  private def rows(t: String): Seq[Row] = sql(s"SELECT * FROM $t").collect().toSeq

  private def dataset(t: String): Dataset = Dataset.open(LocalStore, root(t))

  private def last(t: String): Wire = Wire.parseFrom(
    Files.readAllBytes(Path.of(root(t), "_transactions", dataset(t).manifest.message.transactionFile))
  )

  private def effect(t: String): CommitEffect = {
    val now = dataset(t)
    new VersionLog(now).step(now.version).effect
  }

  /** A table with columns, and the rows of some values. */
  private def withRows(columns: String, values: String, more: String = "")(body: String => Any): Unit =
    withTable { t =>
      sql(s"CREATE TABLE $t ($columns) USING lance $more")
      sql(s"INSERT INTO $t VALUES $values")
      val _ = body(t)
    }

  test("a key that others insert meanwhile is a conflict that names it, other keys are not") {
    val struct = "named_struct('a', 1, 'b', array('x'))"
    val columns =
      "k BIGINT, s STRING, d DECIMAL(20,2), t TIMESTAMP, f DOUBLE, n STRUCT<a: INT, b: ARRAY<STRING>>, b BINARY, v INT"
    val first = s"5L, 'x', 5.5BD, TIMESTAMP'2020-01-01 00:00:00', -0.0D, $struct, X'0A'"
    val other = s"6L, 'y', 5.6BD, TIMESTAMP'2020-01-02 00:00:00', 1.0D, ${struct.replace("1", "2")}, X'0B'"
    val keys = Seq(
      "k" -> "5",
      "s" -> "x",
      "d" -> "5.50",
      "t" -> "2020-01-01",
      "f" -> "-0.0",
      "n" -> "{1, [x]})",
      "b" -> "0A)"
    )
    withRows(columns, s"($other, 0)") { t =>
      def source(values: String) =
        s"MERGE INTO $t t USING (SELECT * FROM VALUES ($values, 2) AS s(k, s, d, t, f, n, b, v)) s"
      def running(values: String, key: String, form: String) = s"${source(values)} ON t.$key = s.$key $form"
      val ofKeys =
        keys.zip(Seq(
          upsert,
          replace,
          upsert,
          inserts.replace("(k) VALUES (s.k)", "*"),
          insert,
          upsert,
          insert
        ))
      for (((key, value), form) <- ofKeys) {
        val theirs = s"INSERT INTO $t VALUES (${first.replace("-0.0D", "0.0D")}, 1)"
        val said = lost(during(running(first, key, form))(sql(theirs)))
        assert(said.contains(s"($key = ${value.stripPrefix("-")}"), s"$key $form")
        sql(s"DELETE FROM $t WHERE v = 1")
      }
      assert(during(running(first, "k", insert))(sql(s"INSERT INTO $t VALUES ($other, 3)")).isSuccess)
      assert(rows(t).map(_.getInt(7)).sorted == Seq(0, 2, 3))
    }
  }

  test("a NULL is a key under <=> only, and a key has all columns that are compared") {
    withRows("k INT, l VARCHAR(5), v INT", "(1, 'a', 0)") { t =>
      def running(on: String, k: String, l: String) =
        merge(t, s"CAST($k AS INT) AS k, CAST($l AS STRING) AS l, 2 AS v", upsert, on)
      def theirs(k: String, l: String) = sql(s"INSERT INTO $t VALUES ($k, $l, 1)")
      assert(during(running("t.k = s.k", "NULL", "'b'"))(theirs("NULL", "'c'")).isSuccess)
      assert(lost(during(running("t.k <=> s.k AND t.l = s.l", "NULL", "'d'"))(theirs(
        "NULL",
        "'d'"
      ))).contains("(k = null, l = d)"))
      val both = "t.k = s.k AND s.l = t.l"
      assert(during(running(both, "7", "'e'"))(theirs("7", "'f'")).isSuccess)
      assert(lost(during(running(both, "8", "'g'"))(theirs("8", "'g'"))).contains("(k = 8, l = g)"))
      assert(during(running(both, "9", "NULL"))(theirs("9", "NULL")).isSuccess)
    }
  }

  test("without a column that is compared with what is inserted, each added row is a conflict") {
    val conditions = Seq(
      "t.k > s.k",
      "t.k = s.k OR t.v = s.v",
      "upper(t.l) = s.l",
      "t.l = upper(s.l)",
      "t.v + 1 = s.v"
    )
    withRows("k BIGINT, l STRING, v INT", "(1, 'a', 0)") { t =>
      for ((on, form) <- conditions.zip(forms ++ forms)) {
        val running = merge(t, "50L AS k, 'x' AS l, 60 AS v", form, on)
        val said = lost(during(running)(sql(s"INSERT INTO $t VALUES (8, 'theirs', 9)")))
        assert(said.contains("added or changed rows"), on)
      }
      assert(during(merge(
        t,
        "50L AS k, 'x' AS l, 60 AS v",
        upsert,
        conditions.head
      ))(sql(s"DELETE FROM $t WHERE v = 9")).isSuccess)
    }
    withRows("k BIGINT, v INT", "(1, 0)") { t =>
      val shifted = merge(t, "5L AS k, 2 AS v", "WHEN NOT MATCHED THEN INSERT (k, v) VALUES (s.k + 1, s.v)")
      assert(lost(during(shifted)(sql(s"INSERT INTO $t VALUES (9, 9)"))).contains("added or changed rows"))
    }
  }

  test("names of keys may be written in another case") {
    withRows("Key BIGINT, s STRUCT<Id: INT>, v INT", "(1, named_struct('Id', 1), 0)") { t =>
      for (form <- forms) {
        def running(key: Int, on: String) =
          merge(
            t,
            s"${key}L AS kEY, named_struct('id', $key) AS S, 2 AS V",
            form.replace("(k) VALUES (s.k)", "*"),
            on
          )
        def theirs(key: Int) = sql(s"INSERT INTO $t VALUES ($key, named_struct('Id', $key), 1)")
        for ((on, name) <- Ring.inTurns("T.KEY = S.key" -> "Key", "t.S.ID = s.s.iD" -> "s.Id")) {
          assert(lost(during(running(50, on))(theirs(50))).contains(s"($name = 50)"), form)
          assert(during(running(60, on))(theirs(61)).isSuccess, form)
          sql(s"DELETE FROM $t WHERE key >= 50")
        }
      }
    }
  }

  test("a cast that loses something makes no key: rows may match that have another value") {
    val cases = Seq(
      ("BIGINT", "9007199254740992D", "9007199254740993L", "t.k = s.k"),
      ("DOUBLE", "5.5D", "5.0D", "t.k = CAST(s.k AS INT)")
    )
    for (((kind, mine, theirs, on), form) <- cases.zip(Seq(upsert, insert)))
      withRows(s"k $kind, v INT", "(NULL, 0)") { t =>
        val running = merge(t, s"$mine AS k, 2 AS v", form, on)
        assert(
          lost(during(running)(sql(s"INSERT INTO $t VALUES ($theirs, 1)"))).contains("added or changed"),
          kind
        )
        sql(running)
        assert(!rows(t).exists(_.get(0) == 5.5), "it matches")
      }
  }

  test("a MERGE that changes rows without its keys goes beside no added row") {
    withRows("k BIGINT NOT NULL, v INT", "(1, 0)", keyed("k")) { t =>
      val all = merge(t, "5L AS k, 2 AS v", s"$upsert WHEN NOT MATCHED BY SOURCE THEN DELETE")
      assert(lost(during(all)(sql(s"INSERT INTO $t VALUES (6, 1)"))).contains("all that its source lacks"))
      assert(lost(during(all)(sql(s"INSERT INTO $t VALUES (5, 1)"))).contains("(k = 5)"))
      assert(during(all)(sql(s"ALTER TABLE $t SET TBLPROPERTIES ('x' = 'y')")).isSuccess)
      assert(last(t).operation.update.exists(_.insertedRows.isDefined))
      assert(rows(t) == Seq(Row(5L, 2)))
    }
  }

  test("fields of structs are keys, and so are columns that are compared as wider types") {
    withRows("s STRUCT<a: INT, b: STRING>, v INT", "(named_struct('a', 1, 'b', 'x'), 0)") { t =>
      def running(a: Int) =
        s"MERGE INTO $t t USING (SELECT named_struct('a', ${a}L, 'b', 'mine') AS s, 2 AS v) n ON t.s.a = n.s.a $upsert"
      assert(lost(
        during(running(5))(sql(s"INSERT INTO $t VALUES (named_struct('a', 5, 'b', 'y'), 1)"))
      ).contains("s.a = 5"))
      assert(during(running(6))(sql(s"INSERT INTO $t VALUES (named_struct('a', 7, 'b', 'y'), 1)")).isSuccess)
    }
  }

  test("what others do to the table besides: only rows with the key count") {
    withRows("k BIGINT, v INT", "(1, 0), (2, 0), (3, 0)") { t =>
      sql(s"INSERT INTO $t VALUES (4, 0)")
      var key = 100
      def running = { key += 1; merge(t, s"${key}L AS k, 2 AS v", upsert) }
      val fine = Seq(
        s"CALL lance.system.compact('$t')",
        s"DELETE FROM $t WHERE k = 1",
        s"UPDATE $t SET v = 5 WHERE k = 2",
        s"ALTER TABLE $t SET TBLPROPERTIES ('x' = 'y')",
        s"CREATE INDEX i ON $t USING btree (k)",
        merge(t, "2L AS k, 7 AS v", upsert)
      )
      fine.foreach(theirs => assert(during(running)(sql(theirs)).isSuccess, theirs))
      val next = key + 1
      assert(lost(during(running)(sql(s"UPDATE $t SET k = $next WHERE k = 3"))).contains(s"k = $next"))
      val after = key + 1
      assert(lost(during(running)(sql(merge(t, s"${after}L AS k, 9 AS v", insert)))).contains(s"k = $after"))
      val many = "MERGE INTO %s t USING (SELECT id AS k, 1 AS v FROM range(1000, 1030)) s ON t.k = s.k " +
        insert
      val said = lost(during(many.format(t))(sql(many.format(t))))
      assert("k = 10".r.findAllIn(said).size == 10 && said.contains("and others"), said)
      val compacted = lost(during(running) {
        sql(s"INSERT INTO $t VALUES ($key, 1)")
        sql(s"CALL lance.system.compact('$t')")
      })
      assert(compacted.contains(s"k = $key"))
      assert(rows(t).groupBy(_.getLong(0)).forall(_._2.size == 1))
    }
  }

  test("the level is the statement's, the session's or the table's") {
    withRows("k BIGINT, v INT", "(1, 0)") { t =>
      def running = merge(t, "5L AS k, 2 AS v", upsert)
      def theirs = sql(s"INSERT INTO $t VALUES (5, 1)")
      withSetting("spark.datasource.lance.isolation", "snapshot")(assert(during(running)(theirs).isSuccess))
      sql(s"DELETE FROM $t WHERE k = 5")
      sql(s"ALTER TABLE $t SET TBLPROPERTIES ('lance.write.isolation' = 'Snapshot')")
      assert(during(running)(theirs).isSuccess)
      sql(s"DELETE FROM $t WHERE k = 5")
      sql(s"ALTER TABLE $t SET TBLPROPERTIES ('lance.write.isolation' = 'serializable')")
      assert(lost(during(running)(theirs)).contains("k = 5"))
      val wrong =
        intercept[Exception](sql(s"ALTER TABLE $t SET TBLPROPERTIES ('lance.write.isolation' = 'dirty')"))
      assert(wrong.getMessage.contains("snapshot or serializable"))
    }
  }

  private def keyed(column: String) =
    s"TBLPROPERTIES ('$column.lance-schema:unenforced-primary-key' = 'true')"

  test("a MERGE by the primary key records its inserted keys as the reference does") {
    // Bits of the keys 77 and 'a', as the reference sets them.
    val bits = Map(
      "BIGINT" -> (("77L", Seq(154628, 154685, 154711, 154748, 154754, 154814, 154829, 154853))),
      "INT" -> (("77", Seq(154628, 154685, 154711, 154748, 154754, 154814, 154829, 154853))),
      "STRING" -> (("'a'", Seq(215314, 215345, 215361, 215404, 215441, 215480, 215515, 215551)))
    )
    for (((kind, (key, set)), form) <- bits.toSeq.zip(Seq(upsert, insert, replace)))
      withRows(s"k $kind NOT NULL, v INT", s"(${key.replace("77", "1").replace("a", "b")}, 0)", keyed("k")) {
        t =>
          sql(merge(t, s"$key AS k, 2 AS v", form))
          val filter = last(t).operation.update.flatMap(_.insertedRows).getOrElse(fail(s"no filter: $kind"))
          val bitmap = filter.data.bloom.map(_.bitmap.toByteArray).getOrElse(fail("no Bloom filter"))
          assert(filter.fieldIds == Seq(dataset(t).schema.fields.head.id))
          assert(bitmap.length == 32768 &&
            filter.data.bloom.exists(b => b.numberOfItems == 8192 && b.probability == 0.00057))
          assert((0 until bitmap.length * 8).filter(i => (bitmap(i / 8) >> i % 8 & 1) != 0) == set, kind)
          assert(effect(t).isInstanceOf[CommitEffect.Appended], "streams and feeds see rows that were added")
          sql(merge(t, s"$key AS k, 3 AS v", upsert, "t.k <=> s.k"))
          val none = last(t).operation.update.flatMap(_.insertedRows).flatMap(_.data.bloom)
          assert(none.exists(_.bitmap.toByteArray.forall(_ == 0)), "no key was inserted")
      }
  }

  test("a MERGE of keys that the reference does not hash, or not by the primary key, records none") {
    val cases = Seq(
      ("DATE NOT NULL", "DATE'2020-01-01'", "t.k = s.k"),
      ("BIGINT NOT NULL", "5L", "t.v = s.v"),
      ("BIGINT NOT NULL", "5L", "t.k = s.k AND t.v = s.v")
    )
    for (((kind, key, on), form) <- cases.zip(forms))
      withRows(s"k $kind, v INT", s"($key, 0)", keyed("k")) { t =>
        sql(merge(t, s"$key AS k, 2 AS v", form, on.replace("t.k =", "t.v = 99 AND t.k =")))
        assert(last(t).operation.update.flatMap(_.insertedRows).isEmpty, on)
        sql(s"UPDATE $t SET v = 7 WHERE v = 0")
        assert(last(t).operation.update.exists(_.insertedRows.isEmpty))
      }
    withRows("k BIGINT, v INT", "(1, 0)") { t =>
      sql(merge(t, "5L AS k, 2 AS v", insert))
      assert(last(t).operation.append.isDefined && effect(t).isInstanceOf[CommitEffect.Appended])
    }
  }
}
