package io.sparklance.spark.rowlevel

import org.apache.spark.sql.Row

import io.sparklance.data.{FileVersion, RowRanges}
import io.sparklance.dataset.{Dataset, RowOperations, TableDefinition}
import io.sparklance.io.LocalStore
import io.sparklance.schema.{Field, LanceSchema, LogicalType}

/** DELETE FROM. */
final class DeleteSuite extends RowLevelSuite {

  private def jobs(body: => Any): Int = {
    val group = java.util.UUID.randomUUID().toString
    spark.sparkContext.setJobGroup(group, group)
    try {
      val _ = body
      spark.sparkContext.statusTracker.getJobIdsForGroup(group).length
    } finally spark.sparkContext.clearJobGroup()
  }

  test("rows that fulfil a condition are marked in deletion files, and no data file is written") {
    withBoth { t =>
      sql(s"DELETE FROM $t WHERE name IN ('n3', 'n4') AND id >= 20")
      assert(
        ids(t) == (0L until 100L).filterNot(i => i >= 20 && nameOf(i).exists(n => n == "n3" || n == "n4"))
      )
      assert(dataFiles(root(t)).size == 10 && dataset(t).version == 2)
      val gone = (20 until 100).count(i => nameOf(i.toLong).exists(n => n == "n3" || n == "n4"))
      assert(counted(t) == Seq("DELETE", "0", "0", gone.toString))
      assert(sql(s"SELECT count(*) FROM $t VERSION AS OF 1").head().getLong(0) == 100)
    }
  }

  test("a condition that only Spark can evaluate, and one that is null for some rows") {
    withNumbers { t =>
      sql(s"DELETE FROM $t WHERE name RLIKE 'n[12]' OR sqrt(id) > 9")
      val gone = (i: Long) => nameOf(i).exists(Set("n1", "n2")) || i > 81
      assert(ids(t) == (0L until 100L).filterNot(gone))
      sql(s"DELETE FROM $t WHERE name <> 'n3'")
      assert(ids(t) == (0L until 100L).filterNot(gone).filter(i => nameOf(i).forall(_ == "n3")))
      sql(s"DELETE FROM $t WHERE name IS NULL")
      assert(names(t).values.toSet == Set(Some("n3")))
    }
  }

  test("rows that are deleted stay so, a fragment without any left is gone, and no match is no version") {
    withNumbers { t =>
      sql(s"DELETE FROM $t WHERE id % 10 < 5 AND id + 0 < 40")
      sql(s"DELETE FROM $t WHERE id % 10 >= 5 AND id + 0 < 20")
      assert(dataset(t).fragments.map(_.id) == (2L to 9L) && dataset(t).version == 3)
      sql(s"DELETE FROM $t WHERE id % 10 >= 5 AND id + 0 < 20")
      assert(dataset(t).version == 3 && dataset(t).countRows == 70)
    }
  }

  test("with subqueries: of other tables, of the table itself, correlated") {
    withNumbers { t =>
      withTable { other =>
        sql(s"CREATE TABLE $other USING lance AS SELECT id * 3 AS k, 'x' AS v FROM range(10)")
        sql(s"DELETE FROM $t WHERE id IN (SELECT k FROM $other)")
        sql(s"DELETE FROM $t WHERE id > (SELECT avg(id) + 40 FROM $t)")
        sql(s"DELETE FROM $t AS o WHERE EXISTS (SELECT 1 FROM $other WHERE k + 1 = o.id)")
        sql(s"DELETE FROM $t WHERE id NOT IN (SELECT id FROM $t WHERE id < 80)")
        val thirds = (0L until 10L).map(_ * 3).toSet
        assert(ids(t) == (0L until 80L).filterNot(i => thirds(i) || thirds(i - 1)))
      }
    }
  }

  test("whole fragments, row addresses, and all rows, are deleted without a job, and no data is read") {
    withBoth { t =>
      sql(s"DELETE FROM $t WHERE id = 5")
      assert(jobs(sql(s"DELETE FROM $t WHERE _fragid IN (0, 3)")) == 0)
      assert(dataset(t).fragments.map(_.id) == Seq(1L, 2L, 4L, 5L, 6L, 7L, 8L, 9L))
      assert(counted(t) == Seq("DELETE", "0", "0", "19"))
      assert(jobs(sql(s"DELETE FROM $t WHERE _rowaddr = ${(1L << 32) + 3}")) == 0)
      assert(ids(t) == (10L until 100L).filterNot(i => i == 13 || i / 10 == 3))
      assert(jobs(sql(s"DELETE FROM $t")) == 0)
      assert(ids(t).isEmpty && dataset(t).fragments.isEmpty && dataset(t).version == 5)
      sql(s"DELETE FROM $t WHERE true")
      assert(dataset(t).version == 5)
      sql(s"INSERT INTO $t VALUES (1, 'a')")
      assert(ids(t) == Seq(1L))
    }
  }

  test("a row address and a value together") {
    withNumbers { t =>
      sql(s"DELETE FROM $t WHERE _fragid = 2 AND name = 'n4'")
      sql(s"DELETE FROM $t WHERE _rowid < 3 OR id = 50")
      assert(ids(t) == (0L until 100L).filterNot(i => i == 24 || i < 3 || i == 50))
    }
  }

  test("rows of paths are deleted, in all versions that are written") {
    Seq("2.0", "2.1", "2.2").foreach { version =>
      val path = freshPath()
      spark.range(0, 50, 1, 1).write.format("lance").option("dataStorageVersion", version).save(path)
      sql(s"DELETE FROM lance.`$path` WHERE id % 3 = 0")
      assert(load(path).count() == 33)
    }
  }

  test("rows that others delete of a fragment stay deleted, and two writers cannot delete the same row") {
    withNumbers { t =>
      val before = dataset(t)
      sql(s"DELETE FROM $t WHERE id IN (1, 2)")
      sql(s"INSERT INTO $t VALUES (100, 'new')")
      def deleting(rows: Long*) =
        before.commit(RowOperations.delete(before, RowRanges.ofRows(rows.toArray), ""))
      deleting(3, 4)
      assert(ids(t) == 0L +: (5L to 100L))
      assert(intercept[Exception](deleting(2, 5)).getMessage.contains("that others deleted or changed"))
    }
  }

  test("an older version is not deleted from, and a condition must be deterministic") {
    withNumbers { t =>
      sql(s"DELETE FROM $t WHERE id = 1")
      intercept[Exception](sql(s"DELETE FROM $t VERSION AS OF 1 WHERE id = 2"))
      intercept[Exception](sql(s"DELETE FROM $t WHERE rand() < 0.5"))
      assert(dataset(t).version == 2)
    }
  }

  test("a table with a column that is named as our metadata is not made, and one of others is refused") {
    val path = freshPath()
    val t = s"lance.`$path`"
    for (name <- Seq("_rowaddr", "_rowid", "_FRAGID", "_row_created_at_version"))
      assert(refusal(sql(s"CREATE TABLE $t AS SELECT 1 AS $name, 2 AS x")).contains("is a metadata column"))
    val fields = Vector("_rowaddr", "x").zipWithIndex.map { case (name, id) =>
      Field(id, name, LogicalType.Integer(32, signed = true), nullable = true)
    }
    val definition = TableDefinition(LanceSchema(fields), FileVersion.V2_2)
    val _ = Dataset.create(LocalStore, path, definition, Vector.empty)
    assert(refusal(sql(s"DELETE FROM $t WHERE x = 2")).contains("a column named _rowaddr"))
    assert(refusal(sql(s"UPDATE $t SET x = 3")).contains("a column named _rowaddr"))
  }

  test("columns with names of Spark's plans are deleted from, and not updated") {
    for (name <- Seq("__row_operation", "__row_id", "__ROW_FROM_SOURCE", "__original_row_id_0"))
      withTable { t =>
        sql(s"CREATE TABLE $t USING lance AS SELECT id AS $name, id AS x FROM range(4)")
        assert(refusal(sql(s"UPDATE $t SET x = 9 WHERE x = 1")).contains(s"a column named $name"))
        assert(
          refusal(sql(s"MERGE INTO $t USING (SELECT 1 AS k) ON x = k WHEN MATCHED THEN UPDATE SET x = 9"))
            .contains(s"a column named $name")
        )
        sql(s"DELETE FROM $t WHERE x IN (SELECT id + 2 FROM range(1))")
        assert(rows(spark.table(t)) == Set(0L, 1L, 3L).map(id => Row(id, id)))
      }
  }

  test("a condition chooses the rows that it chooses in a query, nulls and subqueries with them") {
    val conditions = Seq(
      "NOT (name > 'n5')",
      "name NOT IN (SELECT k FROM keys)",
      "name NOT IN (SELECT k FROM keys WHERE k IS NOT NULL)",
      "id % 10 NOT IN (1, NULL, 3)",
      "name = NULL OR id < 7",
      "name <=> NULL",
      "EXISTS (SELECT 1 FROM keys WHERE k = name AND n > id)",
      "NOT EXISTS (SELECT 1 FROM keys WHERE k = name)",
      "id > (SELECT avg(n) FROM keys WHERE k = name)",
      "id IN (SELECT n FROM keys) OR name IN (SELECT k FROM keys WHERE n > 40)",
      "CASE WHEN id < 50 THEN name = 'n3' ELSE name < 'n2' END"
    )
    sql(
      "SELECT IF(id = 3, NULL, concat('n', id)) AS k, id * 12 AS n FROM range(6)"
    ).createOrReplaceTempView("keys")
    withNumbers { t =>
      conditions.foreach { condition =>
        val chosen = sql(s"SELECT id FROM $t WHERE $condition").collect().map(_.getLong(0)).toSet
        val left = ids(t).filterNot(chosen)
        sql(s"DELETE FROM $t WHERE $condition")
        assert(ids(t) == left, condition)
        sql(s"CALL lance.system.restore('$t', '1')")
      }
    }
  }

  test("a branch that a session sets is refused: statements change the table that they name") {
    withNumbers { t =>
      sql(s"CALL spark_catalog.system.create_branch('$t', 'side')")
      withSetting("spark.datasource.lance.branch", "side") {
        Seq(
          s"DELETE FROM $t WHERE id = 3",
          s"DELETE FROM $t WHERE id % 2 = 1",
          s"TRUNCATE TABLE $t",
          s"UPDATE $t SET name = 'x'",
          s"MERGE INTO $t t USING (SELECT 3L AS id, 'x' AS name) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *"
        ).foreach(statement =>
          assert(refusal(sql(statement)).contains("Option 'branch' is 'side'"), statement)
        )
      }
      assert(ids(t) == (0L until 100L))
    }
  }
}
