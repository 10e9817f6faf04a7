package io.sparklance.spark.catalog

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.Row

import io.sparklance.dataset.Dataset
import io.sparklance.io.LocalStore
import io.sparklance.schema.PrimaryKey
import io.sparklance.spark.SparkSuite

/** Column clauses of CREATE TABLE: NOT NULL, DEFAULT, keys, and unsupported ones. */
final class ColumnClausesSuite extends SparkSuite {
  private val key = PrimaryKey.Flag

  private def schema(path: String) = Dataset.open(LocalStore, path).schema

  private def primaryKey(table: String): Seq[String] =
    sql(s"DESCRIBE DETAIL $table").head().getAs[scala.collection.Seq[String]]("primary_key").toSeq

  test("NOT NULL is stored, and checked for each row that is written") {
    withTable { t =>
      sql(s"CREATE TABLE $t (id INT NOT NULL, s STRUCT<a: INT NOT NULL>) USING lance")
      val fields = schema(root(t)).preOrder.map(f => f.name -> f.nullable)
      assert(fields == Vector("id" -> false, "s" -> true, "a" -> false))
      sql(s"INSERT INTO $t VALUES (1, NULL)")
      assert(intercept[Exception](
        sql(s"INSERT INTO $t SELECT CAST(NULL AS INT), NULL")
      ).getMessage.contains("NOT_NULL"))
      assert(intercept[Exception](sql(s"UPDATE $t SET id = NULL")).getMessage.contains("NULL"))
      assert(rows(spark.table(t)) == Set(Row(1, null)))
    }
  }

  test("DEFAULT is kept in the column's metadata, and is the value where a statement writes DEFAULT") {
    withTable { t =>
      sql(
        s"CREATE TABLE $t (id INT, n INT DEFAULT 2 + 3, s STRING DEFAULT 'it''s', a ARRAY<INT> DEFAULT array(1)) USING lance"
      )
      val stored = schema(root(t)).fields.map(f => f.name -> f.metadata.get("CURRENT_DEFAULT"))
      assert(stored ==
        Vector("id" -> None, "n" -> Some("2 + 3"), "s" -> Some("'it''s'"), "a" -> Some("array(1)")))
      assert(schema(root(t)).fields(1).metadata.get("EXISTS_DEFAULT").contains("5"))
      sql(s"INSERT INTO $t VALUES (1, DEFAULT, DEFAULT, DEFAULT), (2, 7, 'x', NULL)")
      assert(rows(spark.table(t).select("id", "n", "a")) == Set(Row(1, 5, Seq(1)), Row(2, 7, null)))
      sql(s"UPDATE $t SET n = DEFAULT WHERE id = 2")
      assert(sql(s"SELECT n FROM $t WHERE id = 2").head() == Row(5))
      assert(sql(s"SHOW CREATE TABLE $t").head().getString(0).contains("n INT DEFAULT 2 + 3"))
    }
  }

  test("from Spark 4.1 on, columns that INSERT leaves out get their DEFAULT") {
    assume(!SPARK_VERSION.startsWith("4.0"))
    withTable { t =>
      sql(s"CREATE TABLE $t (id INT, n INT DEFAULT 5) USING lance")
      sql(s"INSERT INTO $t (id) VALUES (1)")
      assert(rows(spark.table(t)) == Set(Row(1, 5)))
    }
  }

  test("DEFAULT of the current time is the time of the write") {
    withTable { t =>
      sql(s"CREATE TABLE $t (id INT, at TIMESTAMP DEFAULT current_timestamp()) USING lance")
      sql(s"INSERT INTO $t VALUES (1, DEFAULT)")
      Thread.sleep(5)
      sql(s"INSERT INTO $t VALUES (2, DEFAULT)")
      assert(sql(s"SELECT count(DISTINCT at) FROM $t").head().getLong(0) == 2)
    }
  }

  test("a table by its path has defaults, too, and so has a copy of a table with defaults") {
    val (path, copy) = (freshPath(), freshPath())
    sql(s"CREATE TABLE lance.`$path` (id INT, n INT DEFAULT 5) USING lance")
    load(path).write.format("lance").save(copy)
    Seq(path, copy).foreach { p =>
      sql(s"INSERT INTO lance.`$p` VALUES (1, DEFAULT)")
      assert(rows(load(p)) == Set(Row(1, 5)))
    }
  }

  test("a DEFAULT that is not a value of the column is refused, and nothing is created") {
    withTable { t =>
      Seq("'x'", "(SELECT 1)", "rand() || id").foreach { default =>
        intercept[Exception](sql(s"CREATE TABLE $t (id INT, n INT DEFAULT $default) USING lance"))
        assert(!spark.catalog.tableExists(t), default)
      }
    }
  }

  test("GENERATED and IDENTITY columns are refused, and nothing is created") {
    withTable { t =>
      Seq("n INT GENERATED ALWAYS AS (id + 1)", "n BIGINT GENERATED ALWAYS AS IDENTITY").foreach { column =>
        assert(
          intercept[Exception](
            sql(s"CREATE TABLE $t (id INT, $column) USING lance")
          ).getMessage.contains("UNSUPPORTED")
        )
        assert(!spark.catalog.tableExists(t))
      }
    }
  }

  test("table properties put columns into the primary key, in their order") {
    withTable { t =>
      sql(
        s"CREATE TABLE $t (id BIGINT NOT NULL, s STRUCT<day: DATE NOT NULL> NOT NULL, v INT) USING lance TBLPROPERTIES " +
          s"('id.$key:position' = '2', 's.day.$key:position' = '1')"
      )
      assert(primaryKey(t) == Seq("s.day", "id"))
      val fields = Dataset.open(LocalStore, root(t)).manifest.message.fields
      assert(fields.map(f => (f.name, f.unenforcedPrimaryKey, f.unenforcedPrimaryKeyPosition)) ==
        Seq(("id", true, 2), ("s", false, 0), ("day", true, 1), ("v", false, 0)))
      sql(s"INSERT INTO $t VALUES (1, named_struct('day', DATE'2020-01-01'), 1)")
      sql(s"INSERT OVERWRITE $t SELECT * FROM $t")
      assert(primaryKey(t) == Seq("s.day", "id"))
    }
  }

  test("nullable columns and columns with fields cannot be in the key") {
    withTable { t =>
      Seq(
        "id INT" -> "id",
        "s STRUCT<a: INT NOT NULL>" -> "s.a",
        "a ARRAY<INT> NOT NULL" -> "a.item"
      ).foreach {
        case (column, path) =>
          val made = s"CREATE TABLE $t ($column) USING lance TBLPROPERTIES ('$path.$key' = 'true')"
          assert(refusal(sql(made)).contains("in the primary key"), column)
          assert(!spark.catalog.tableExists(t))
      }
      assert(
        refusal(
          sql(s"CREATE TABLE $t (s STRUCT<a: INT> NOT NULL) USING lance TBLPROPERTIES ('s.$key' = 'true')")
        )
          .contains("primary key")
      )
    }
  }

  test("a copy with nullable columns has no key, but is created") {
    withTable { t =>
      sql(s"CREATE TABLE $t (id INT NOT NULL) USING lance TBLPROPERTIES ('id.$key' = 'true')")
      val copy = freshPath()
      spark.table(t).write.format("lance").save(copy)
      assert(primaryKey(t) == Seq("id") && primaryKey(s"'$copy'") == Nil)
    }
  }

  test("a key is set once: by a procedure, too, which then cannot change it") {
    withTable { t =>
      def set(column: String, name: String, value: String) =
        sql(s"CALL lance.system.update_field_metadata('$t', '$column', map('$name', '$value'))")
      sql(s"CREATE TABLE $t (id INT NOT NULL, d INT NOT NULL, v INT) USING lance")
      assert(refusal(set("v", key, "true")).contains("cannot be in the primary key"))
      assert(refusal(set("id", key, "maybe")).contains("'maybe'"))
      assert(refusal(set("id", s"$key:position", "first")).contains("'first'"))
      set("id", key, "yes")
      assert(primaryKey(t) == Seq("id"))
      assert(refusal(set("d", key, "true")).contains("cannot be changed once it is set"))
      assert(
        refusal(
          sql(s"CALL lance.system.update_field_metadata('$t', 'id', map('$key', CAST(NULL AS STRING)))")
        )
          .contains("cannot be changed once it is set")
      )
    }
  }

  test("columns of the key stay NOT NULL, whatever their name") {
    withTable { t =>
      sql(
        s"CREATE TABLE $t (id INT NOT NULL, s STRUCT<k: INT NOT NULL> NOT NULL, v INT NOT NULL) USING lance TBLPROPERTIES " +
          s"('id.$key:position' = '1', 's.k.$key:position' = '2')"
      )
      assert(refusal(sql(s"ALTER TABLE $t ALTER COLUMN s DROP NOT NULL")).contains("primary key"))
      assert(refusal(sql(s"ALTER TABLE $t ALTER COLUMN id DROP NOT NULL")).contains("primary key"))
      sql(s"ALTER TABLE $t ALTER COLUMN v DROP NOT NULL")
      sql(s"ALTER TABLE $t RENAME COLUMN id TO number")
      assert(primaryKey(t) == Seq("number", "s.k"))
    }
  }
}
