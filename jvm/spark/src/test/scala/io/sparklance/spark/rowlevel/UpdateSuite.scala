package io.sparklance.spark.rowlevel

import org.apache.spark.sql.Row

/** UPDATE. */
final class UpdateSuite extends RowLevelSuite {

  test("changed rows are rewritten, and all others stay where they are") {
    withBoth { t =>
      sql(s"UPDATE $t SET name = concat(name, '!') WHERE id % 10 = 3")
      assert(names(t) == (0L until 100L).map { i =>
        i -> nameOf(i).map(n => if (i % 10 == 3) n + "!" else n)
      }.toMap)
      val now = dataset(t)
      assert(now.version == 2 && now.countRows == 100 && now.fragments.take(10).forall(f =>
        f.physicalRows.contains(10L) && f.deletionFile.flatMap(_.deletedRows).contains(1L)
      ))
      assert(counted(t) == Seq("UPDATE", "0", "10", "0"))
    }
  }

  test("rows keep their stable ids, and record when they were created and changed") {
    withNumbers { t =>
      val before = lineage(t)
      sql(s"UPDATE $t SET id = id + 1000 WHERE id BETWEEN 5 AND 24")
      sql(s"INSERT INTO $t VALUES (100, 'new')")
      sql(s"UPDATE $t SET name = 'twice' WHERE id BETWEEN 1020 AND 1030 OR id = 100")
      val after = lineage(t)
      assert(after.size == 101)
      (0L until 100L).foreach { i =>
        val moved = i >= 5 && i < 25
        val (id, created, updated) = after(if (moved) i + 1000 else i)
        assert(id == before(i)._1 && created == 1)
        assert(updated == (if (i >= 20 && moved) 4 else if (moved) 2 else 1), i)
      }
      assert(after(100) == ((100L, 3L, 4L)))
      assert(rows(sql(s"SELECT id FROM $t WHERE _rowid IN (7, 22)")) == Set(Row(1007L), Row(1022L)))
    }
  }

  test("an update of all rows removes the old fragments") {
    withBoth { t =>
      sql(s"UPDATE $t SET id = -id, name = NULL")
      assert(ids(t) == (-99L to 0L) && names(t).values.forall(_.isEmpty))
      assert(dataset(t).fragments.forall(f => f.id >= 10 && f.deletionFile.isEmpty))
    }
  }

  test("with subqueries, after deletions, and of rows that were changed before") {
    withNumbers { t =>
      sql(s"DELETE FROM $t WHERE id < 50")
      sql(s"UPDATE $t SET name = 'max' WHERE id = (SELECT max(id) FROM $t)")
      sql(s"UPDATE $t SET name = 'other' WHERE id IN (SELECT id + 1 FROM $t WHERE name = 'n2')")
      sql(s"UPDATE $t SET name = concat(name, name) WHERE name IN ('max', 'other')")
      val expected = (50L until 100L).map { i =>
        i ->
          (if (i == 99) Some("maxmax")
           else if (nameOf(i - 1).contains("n2")) Some("otherother")
           else nameOf(i))
      }
      assert(names(t) == expected.toMap)
    }
  }

  test("no match makes no version and no file") {
    withNumbers { t =>
      sql(s"UPDATE $t SET name = 'x' WHERE id = 1234")
      assert(dataset(t).version == 1 && dataFiles(root(t)).size == 10)
    }
  }

  test("fields of structs are changed, and nested values stay as they are") {
    Seq("2.0", "2.1", "2.2").foreach { version =>
      withTable { t =>
        sql(s"""CREATE TABLE $t USING lance TBLPROPERTIES ('lance.write.dataStorageVersion' = '$version') AS
               |SELECT id, named_struct('a', id, 'b', concat('b', id)) AS s, array(id, NULL, id + 1) AS l,
               |  CAST(id AS DECIMAL(20, 3)) AS d FROM range(30)""".stripMargin)
        sql(s"UPDATE $t SET s.b = 'new', d = d + 0.5 WHERE l[0] = 7")
        val all = sql(s"SELECT s.a, s.b, l, d FROM $t ORDER BY id").collect()
        assert(all(7) == Row(7L, "new", Seq[Any](7L, null, 8L), new java.math.BigDecimal("7.500")))
        assert(all(8) == Row(8L, "b8", Seq[Any](8L, null, 9L), new java.math.BigDecimal("8.000")))
      }
    }
  }

  test("a NOT NULL column takes no null, and then nothing is left behind") {
    withTable { t =>
      sql(s"CREATE TABLE $t (id BIGINT NOT NULL, name STRING) USING lance")
      sql(s"INSERT INTO $t VALUES (1, 'a'), (2, NULL)")
      val files = dataFiles(root(t)).size
      intercept[Exception](sql(s"UPDATE $t SET id = CAST(name AS BIGINT) WHERE id = 2"))
      assert(dataset(t).version == 2)
      eventually(assert(dataFiles(root(t)).size == files))
    }
  }

  test("a task that fails leaves no version and no file") {
    withNumbers { t =>
      intercept[Exception](
        sql(s"UPDATE $t SET name = CASE WHEN id = 57 THEN raise_error('no') ELSE 'x' END WHERE id > 30")
      )
      assert(dataset(t).version == 1)
      eventually(assert(dataFiles(root(t)).size == 10))
    }
  }

  test("rows of many small tasks are put together if asked, and deletes are not shuffled") {
    withNumbers { t =>
      withSetting("spark.datasource.lance.splitRows", "10") {
        sql(s"UPDATE $t SET name = 'x' WHERE id % 10 = 3")
        assert(dataset(t).fragments.drop(10).flatMap(_.physicalRows) == Vector.fill(10)(1L))
        withSetting("spark.datasource.lance.advisoryPartitionSize", "64m") {
          sql(s"UPDATE $t SET name = 'y' WHERE id % 10 = 4")
          assert(dataset(t).fragments.drop(20).flatMap(_.physicalRows).sum == 10)
          assert(dataset(t).fragments.drop(20).size <= 2)
          sql(s"DELETE FROM $t WHERE id % 10 = 5")
          assert(!sql(s"EXPLAIN DELETE FROM $t WHERE id % 10 = 6").head().getString(0).contains("Exchange"))
        }
      }
      assert(names(t).collect { case (i, Some("y")) => i }.toSet == (0L until 10L).map(_ * 10 + 4).toSet)
      assert(ids(t).size == 90 && lineage(t).values.map(_._1).toSet.size == 90)
    }
  }
}
