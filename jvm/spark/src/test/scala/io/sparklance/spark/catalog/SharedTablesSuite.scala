package io.sparklance.spark.catalog

import java.nio.file.{Files, Path}

import org.apache.hadoop.fs.FileUtil
import org.apache.spark.sql.{AnalysisException, Row}
import org.scalatest.tags.Slow

import io.sparklance.spark.{LanceCatalog, SparkSuite}

/** Tables that more than one name, catalog or statement has to do with, and what others have said of their
  * columns.
  */
@Slow
final class SharedTablesSuite extends SparkSuite {

  test("two catalogs on one directory see each other's changes") {
    withTable { t =>
      val directory = freshPath()
      Files.createDirectories(Path.of(directory))
      val session = spark.newSession()
      Seq("left", "right").foreach { name =>
        session.conf.set(s"spark.sql.catalog.$name", classOf[LanceCatalog].getName)
        session.conf.set(s"spark.sql.catalog.$name.root", directory)
      }
      session.sql("CREATE TABLE left.u USING lance AS SELECT 1 AS id")
      session.sql("INSERT INTO right.u VALUES (2)")
      session.sql("ALTER TABLE left.u ADD COLUMN n INT")
      session.sql("UPDATE right.u SET n = 5")
      assert(session.table("left.u").collect().toSet == Set(Row(1, 5), Row(2, 5)))
      sql(s"CREATE TABLE $t USING lance LOCATION '$directory/u.lance'")
      sql(s"INSERT INTO $t VALUES (3, 6)")
      assert(session.table("right.u").count() == 3)
      session.sql("DROP TABLE left.u")
      intercept[Exception](session.table("right.u"))
      assert(refusal(spark.table(t).collect()).contains("There is no Lance table at"))
    }
  }

  test("two names of one table are the same table; dropping an external one leaves the other") {
    withTable { t =>
      withTable { u =>
        val path = freshPath()
        sql(s"CREATE TABLE $t (id INT) USING lance LOCATION '$path'")
        sql(s"CREATE TABLE $u USING lance LOCATION '$path'")
        sql(s"INSERT INTO $t VALUES (1)")
        sql(s"ALTER TABLE $u RENAME COLUMN id TO number")
        assert(sql(s"SELECT number FROM $t").head() == Row(1))
        sql(s"DROP TABLE $t")
        assert(spark.table(u).count() == 1)
      }
    }
  }

  test("a table that is dropped while it is read is an error that names what is missing") {
    withTable { t =>
      sql(s"CREATE TABLE $t USING lance AS SELECT id FROM range(100)")
      val frame = spark.table(t)
      assert(frame.count() == 100)
      sql(s"DROP TABLE $t")
      val message = refusal(frame.selectExpr("sum(id)").where("true").collect())
      assert(message.contains(root(t)), message)
      sql(s"CREATE TABLE $t USING lance AS SELECT 'x' AS id")
      assert(refusal(frame.selectExpr("id + 1").collect()).contains(root(t)))
      assert(rows(spark.table(t)) == Set(Row("x")))
    }
  }

  test("a table whose directory is gone is refused when it is written to, not created again") {
    withTable { t =>
      val path = freshPath()
      sql(s"CREATE TABLE $t (id INT) USING lance LOCATION '$path'")
      FileUtil.fullyDelete(new java.io.File(path))
      Seq(s"INSERT INTO $t VALUES (1)", s"ALTER TABLE $t ADD COLUMN n INT", s"TRUNCATE TABLE $t").foreach {
        statement => intercept[Exception](sql(statement))
      }
      assert(!Files.exists(Path.of(path)))
    }
  }

  test("columns may have any name without a dot, in backquotes") {
    withTable { t =>
      val names = Seq("a b", "x😀", "q`q", "select", "Größe", "'", "\"", "1", "a,b", "(c)", "%", "\\n")
      val quoted = names.map(name => s"`${name.replace("`", "``")}`")
      sql(s"CREATE TABLE $t (${quoted.map(q => s"$q INT DEFAULT 3").mkString(", ")}) USING lance")
      sql(s"INSERT INTO $t VALUES (${names.indices.mkString(", ")})")
      sql(s"INSERT INTO $t (${quoted.reverse.mkString(", ")}) VALUES (${names.indices.mkString(", ")})")
      assert(spark.table(t).columns.toSeq == names)
      quoted.zipWithIndex.foreach { case (q, i) =>
        assert(sql(s"SELECT $q FROM $t WHERE $q = $i").count() == (if (i * 2 == names.size - 1) 2 else 1), q)
      }
      sql(s"UPDATE $t SET ${quoted.map(q => s"$q = 7").mkString(", ")}")
      assert(spark.table(t).distinct().collect().toSeq == Seq(Row.fromSeq(names.map(_ => 7))))
    }
    withTable { t =>
      assert(refusal(sql(s"CREATE TABLE $t (`a.b` INT) USING lance")).contains("'a.b'"))
    }
  }

  test("names are found in any case, and stay as they were written") {
    withTable { t =>
      sql(s"CREATE TABLE $t (Id INT, `B c` STRING) USING lance")
      sql(s"INSERT INTO ${t.toUpperCase} (`b C`, ID) VALUES ('x', 1)")
      assert(rows(sql(s"SELECT iD, `B C` FROM $t")) == Set(Row(1, "x")))
      assert(spark.table(t).columns.toSeq == Seq("Id", "B c"))
      assert(intercept[Exception](
        sql(s"CREATE TABLE ${t}_x (a INT, A INT) USING lance")
      ).getMessage.contains("EXISTS"))
    }
  }

  test("a default of other software that is not constant runs nothing, and is refused where it is used") {
    withTable { t =>
      sql(s"CREATE TABLE $t (id INT, n STRING DEFAULT 'a', m INT DEFAULT 7) USING lance")
      sql(s"INSERT INTO $t VALUES (1, DEFAULT, DEFAULT)")
      spark.udf.register("mine", () => System.setProperty("sparklance.spoiled", "yes"))
      val set = "'java.lang.System', 'setProperty', 'sparklance.spoiled', 'yes'"
      val spoiled = Seq("java_method", "reflect", "try_reflect").map(f => s"$f($set)") ++
        Seq("mine()", s"concat('a', java_method($set))", s"(SELECT max(n) FROM $t)", "id", "uuid()")
      spoiled.foreach { text =>
        val values = s"""map('CURRENT_DEFAULT', "$text", 'EXISTS_DEFAULT', "$text")"""
        sql(s"CALL lance.system.update_field_metadata('${root(t)}', 'n', $values)").collect()
        val wanting = Seq(
          s"INSERT INTO $t (id) VALUES (2)",
          s"INSERT INTO $t VALUES (2, DEFAULT, 3)",
          s"UPDATE $t SET n = DEFAULT"
        )
        withClue(text) {
          wanting.foreach(statement => intercept[AnalysisException](sql(statement)))
          assert(rows(spark.table(t)) == Set(Row(1, "a", 7)))
          assert(System.getProperty("sparklance.spoiled") == null)
        }
      }
      sql(s"INSERT INTO $t VALUES (2, 'b', DEFAULT)")
      assert(rows(spark.table(t)) == Set(Row(1, "a", 7), Row(2, "b", 7)))
    }
  }

  test("an invalid default of other software does not prevent reads") {
    withTable { t =>
      sql(s"CREATE TABLE $t (id INT, n INT DEFAULT 5) USING lance")
      sql(s"INSERT INTO $t VALUES (1, DEFAULT)")
      Seq("((", "'text'", "no_such_function()", "").foreach { spoiled =>
        val values = s"map('CURRENT_DEFAULT', \"$spoiled\", 'EXISTS_DEFAULT', \"$spoiled\")"
        sql(s"CALL lance.system.update_field_metadata('${root(t)}', 'n', $values)")
        assert(rows(spark.table(t)) == Set(Row(1, 5)), spoiled)
        assert(load(root(t)).count() == 1)
      }
      sql(s"INSERT INTO $t VALUES (2, 6)")
      assert(spark.table(t).count() == 2)
    }
  }

  test(
    "a default of other software that is too costly for the driver is not parsed or folded, and refused where it is used"
  ) {
    withTable { t =>
      sql(s"CREATE TABLE $t (id INT, n STRING DEFAULT 'a', m INT DEFAULT 7) USING lance")
      sql(s"INSERT INTO $t VALUES (1, DEFAULT, DEFAULT)")
      val heavy = Seq(
        "repeat('x', 2000000000)",
        "repeat(repeat(repeat('x', 1000), 1000), 1000)",
        "space(2000000000)",
        "lpad('x', cast('2000000000' AS INT), 'x')",
        "array_join(transform(sequence(1, 100000), x -> repeat('x', 10000)), '')",
        "CAST(aggregate(sequence(1, 100000000), 0, (a, x) -> a + x) AS STRING)",
        "CAST('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' RLIKE '(a+)+$' AS STRING)",
        "replace(repeat('x', 10000), 'x', repeat('y', 10000))",
        "(" * 10000 + "'x'" + ")" * 10000,
        "array(" * 10000 + "'x'" + ")" * 10000,
        "- " * 10000 + "1",
        Seq.fill(5000)("'x'").mkString("||"),
        s"'${"x" * 70000}'",
        "CASE WHEN true THEN " * 5000 + "'x'" + " END" * 5000
      )
      heavy.foreach { text =>
        val quoted = text.replace("\\", "\\\\").replace("\"", "\\\"")
        val values = s"""map('CURRENT_DEFAULT', "$quoted", 'EXISTS_DEFAULT', "$quoted")"""
        sql(s"CALL lance.system.update_field_metadata('${root(t)}', 'n', $values)").collect()
        withClue(text.take(60)) {
          assert(rows(spark.table(t)) == Set(Row(1, "a", 7)))
          assert(rows(load(root(t)).where("n = 'a'")) == Set(Row(1, "a", 7)))
          Seq(s"INSERT INTO $t VALUES (2, DEFAULT, 3)", s"UPDATE $t SET n = DEFAULT").foreach { statement =>
            val message = intercept[AnalysisException](sql(statement)).getMessage
            assert(message.contains("`n`") && message.contains("refused by sparklance"))
            assert(message.contains(text.take(40)) && message.contains("ALTER COLUMN `n` SET DEFAULT"))
          }
          val copy = freshPath()
          load(root(t)).write.format("lance").save(copy)
          assert(rows(load(copy)) == Set(Row(1, "a", 7)))
          sql(s"SHOW CREATE TABLE $t").collect()
          sql(s"INSERT INTO $t VALUES (2, 'b', DEFAULT)")
          sql(s"DELETE FROM $t WHERE id = 2")
        }
      }
      sql(s"ALTER TABLE $t ALTER COLUMN n SET DEFAULT 'c'")
      sql(s"INSERT INTO $t VALUES (3, DEFAULT, DEFAULT)")
      assert(rows(spark.table(t)) == Set(Row(1, "a", 7), Row(3, "c", 7)))
    }
  }

  test("a default of a nested field, which other software wrote, is ignored") {
    withTable { t =>
      sql(s"CREATE TABLE $t (id INT, s STRUCT<a: STRING>) USING lance")
      val values =
        "map('CURRENT_DEFAULT', \"repeat('x', 2000000000)\", 'EXISTS_DEFAULT', \"repeat('x', 2000000000)\")"
      sql(s"CALL lance.system.update_field_metadata('${root(t)}', 's.a', $values)").collect()
      sql(s"INSERT INTO $t VALUES (1, named_struct('a', 'x'))")
      assert(rows(spark.table(t)) == Set(Row(1, Row("x"))))
    }
  }

  test("a default that is too costly is refused, with the column, the default and the cure") {
    withTable { t =>
      val text = "regexp_replace('ab', 'a', 'b')"
      Seq(
        s"CREATE TABLE $t (n STRING DEFAULT $text) USING lance",
        s"CREATE TABLE lance.`${freshPath()}` (n STRING DEFAULT $text)"
      )
        .foreach { statement =>
          val message = refusal(sql(statement))
          assert(
            message.startsWith(s"Column 'n' cannot have the DEFAULT $text: it calls 'regexp_replace'"),
            message
          )
          assert(message.contains("Write its value"))
        }
      sql(s"CREATE TABLE $t (n STRING) USING lance")
      assert(
        refusal(sql(s"ALTER TABLE $t ALTER COLUMN n SET DEFAULT $text")).contains("Column 'n' cannot have")
      )
      assert(
        refusal(sql(s"ALTER TABLE $t ADD COLUMN m STRING DEFAULT $text")).contains("Column 'm' cannot have")
      )
      sql(s"ALTER TABLE $t ADD COLUMN m STRING DEFAULT repeat('-', 10)")
      sql(s"INSERT INTO $t VALUES ('a', DEFAULT)")
      assert(rows(spark.table(t)) == Set(Row("a", "-" * 10)))
    }
  }
}
