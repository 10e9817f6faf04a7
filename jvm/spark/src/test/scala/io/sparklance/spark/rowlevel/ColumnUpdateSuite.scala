package io.sparklance.spark.rowlevel

import org.apache.spark.sql.Row

import io.sparklance.proto.transaction.Transaction
import io.sparklance.proto.transaction.Transaction.UpdateMode.REWRITE_COLUMNS

/** UPDATE and MERGE that write columns of changed rows in place. */
final class ColumnUpdateSuite extends RowLevelSuite {
  private val mode = "spark.datasource.lance.updateMode"

  private def inPlace[A](body: => A): A = withSetting(mode, "columns")(body)

  /** The last transaction's update. */
  private def update(t: String): Transaction.Update = {
    val name = dataset(t).manifest.message.transactionFile
    val path = java.nio.file.Path.of(root(t), "_transactions", name)
    Transaction.parseFrom(java.nio.file.Files.readAllBytes(path)).getUpdate
  }

  private def changes(t: String, from: Long): Map[(String, Long), Option[String]] = spark.read.format("lance")
    .option("readChangeFeed", "true").option("startingVersion", from).load(root(t)).collect()
    .map(row =>
      (row.getAs[String]("_change_type"), row.getAs[Long]("id")) -> Option(row.getAs[String]("name"))
    )
    .toMap

  test("only the assigned column is written, for the fragments with a change, and rows stay") {
    withBoth { t =>
      val before = dataset(t)
      inPlace(sql(s"UPDATE $t SET name = concat(name, '!') WHERE id IN (13, 15, 27)"))
      val now = dataset(t)
      assert(names(t) == (0L until 100L).map { i =>
        i -> nameOf(i).map(n => if (i == 13 || i == 15 || i == 27) n + "!" else n)
      }.toMap)
      assert(now.fragments.map(_.id) == before.fragments.map(_.id) && now.version == 2)
      assert(dataFiles(root(t)).size == 12 && now.fragments.forall(_.deletionFile.isEmpty))
      assert(now.fragments.map(_.files.size) == Vector(1, 2, 2) ++ Vector.fill(7)(1))
      assert(counted(t) == Seq("UPDATE", "0", "3", "0"))
      val made = update(t)
      assert(made.updateMode == REWRITE_COLUMNS && made.newFragments.isEmpty &&
        made.removedFragmentIds.isEmpty)
      assert(made.updatedFragments.map(_.id) == Seq(1, 2))
      assert(made.fieldsModified == Seq(now.schema.fields(1).id))
      assert(made.updatedFragmentOffsetBitmaps.keySet == (if (now.hasStableRowIds) Set(1L, 2L) else Set()))
      if (now.hasStableRowIds) {
        assert(lineage(t) == (0L until 100L).map { i =>
          i -> ((i, 1L, if (i == 13 || i == 15 || i == 27) 2L else 1L))
        }.toMap)
        assert(changes(t, 2) == Seq(13L, 15L, 27L).flatMap { i =>
          Seq(("update_preimage", i) -> nameOf(i), ("update_postimage", i) -> nameOf(i).map(_ + "!"))
        }.toMap)
      }
    }
  }

  test("other columns are neither read nor shuffled, EXPLAIN tells, and it runs nothing") {
    withNumbers { t =>
      sql(s"ALTER TABLE $t ADD COLUMN wide STRING")
      inPlace {
        val plan = sql(s"EXPLAIN UPDATE $t SET name = 'x' WHERE id = 3").head().getString(0)
        assert(plan.contains("columns [name], mode columns"), plan)
        val scans = plan.linesIterator.filter(_.contains("BatchScan")).mkString
        assert(scans.contains("id") && !scans.contains("wide"), plan)
        val merge = sql(
          s"""EXPLAIN MERGE INTO $t t USING (SELECT 3L AS id, 'new' AS name) s ON t.id = s.id
             |WHEN MATCHED THEN UPDATE SET name = s.name WHEN NOT MATCHED BY SOURCE AND t.id > 90 THEN DELETE""".stripMargin
        ).head().getString(0)
        assert(merge.contains("columns [name], mode columns"), merge)
        assert(!merge.linesIterator.filter(_.contains("BatchScan")).mkString.contains("wide"), merge)
      }
      assert(sql(s"EXPLAIN UPDATE $t SET name = 'x'").head().getString(0).contains("LanceDeltaWrite("))
      assert(dataset(t).version == 2 && dataFiles(root(t)).size == 10)
    }
  }

  test("all clauses of MERGE are one commit: columns, new rows and deletions") {
    withBoth { t =>
      sql(
        """CREATE OR REPLACE TEMP VIEW source AS SELECT id * 10 AS id, concat('s', id) AS name FROM range(20)"""
      )
      inPlace(sql(s"""MERGE INTO $t t USING source s ON t.id = s.id
                     |WHEN MATCHED AND t.id < 20 THEN DELETE
                     |WHEN MATCHED AND t.id < 50 THEN UPDATE SET name = concat(s.name, coalesce(t.name, '-'))
                     |WHEN NOT MATCHED AND s.id < 150 THEN INSERT (id) VALUES (s.id)
                     |WHEN NOT MATCHED AND s.id < 170 THEN INSERT (name, id) VALUES ('late', s.id)
                     |WHEN NOT MATCHED BY SOURCE AND t.id > 90 THEN DELETE
                     |WHEN NOT MATCHED BY SOURCE AND t.id > 85 THEN UPDATE SET name = 'alone'""".stripMargin))
      val expected = (0L until 100L).flatMap { i =>
        if (i % 10 == 0 && i < 20 || i > 90) None
        else if (i % 10 == 0 && i < 50) Some(i -> Some(s"s${i / 10}" + nameOf(i).getOrElse("-")))
        else if (i > 85 && i % 10 != 0) Some(i -> Some("alone"))
        else Some(i -> nameOf(i))
      } ++ (100L until 150L by 10).map(_ -> None) ++ Seq(150L, 160L).map(_ -> Some("late"))
      assert(names(t) == expected.toMap)
      assert(counted(t) == Seq("MERGE", "7", "7", "11") && dataset(t).version == 2)
      val made = update(t)
      assert(made.updateMode == REWRITE_COLUMNS && made.newFragments.map(_.physicalRows).sum == 7)
      if (dataset(t).hasStableRowIds) {
        val after = lineage(t)
        Seq(20L, 30L, 40L, 86L, 89L).foreach(i => assert(after(i) == ((i, 1L, 2L))))
        Seq(21L, 50L, 90L).foreach(i => assert(after(i) == ((i, 1L, 1L))))
        assert(after(100L)._1 >= 100 && after(100L)._3 == 2)
        val feed = changes(t, 2).keys.groupBy(_._1).view.mapValues(_.size).toMap
        assert(feed == Map("delete" -> 11, "insert" -> 7, "update_preimage" -> 7, "update_postimage" -> 7))
      }
    }
  }

  test("nested fields, defaults, NULLs, sub-queries and fragments with deleted rows") {
    withTable { t =>
      sql(
        s"""CREATE TABLE $t (id BIGINT NOT NULL, s STRUCT<a: BIGINT, b: STRING>, d DECIMAL(20, 3) DEFAULT 7,
             |  l ARRAY<BIGINT>, n STRING NOT NULL) USING lance
             |  TBLPROPERTIES ('lance.write.updateMode' = 'columns', 'lance.write.maxRowsPerFile' = '10')""".stripMargin
      )
      sql(s"""INSERT INTO $t SELECT /*+ COALESCE(1) */ id, named_struct('a', id, 'b', concat('b', id)), id,
             |  array(id, NULL), concat('n', id) FROM range(30)""".stripMargin)
      sql(s"DELETE FROM $t WHERE id % 10 = 4")
      sql(s"UPDATE $t SET s.b = 'new', d = DEFAULT WHERE l[0] IN (7, 15)")
      sql(
        s"UPDATE $t SET l = NULL WHERE id = (SELECT max(id) FROM $t) OR id IN (SELECT s.a FROM $t WHERE d = 7)"
      )
      sql(s"UPDATE $t SET n = (SELECT concat('all', count(*)) FROM $t), d = NULL WHERE id = 3")
      val all = sql(s"SELECT id, s.a, s.b, d, l, n FROM $t").collect().map(r => r.getLong(0) -> r).toMap
      val seven = new java.math.BigDecimal("7.000")
      assert(all.size == 27)
      assert(all(7) == Row(7L, 7L, "new", seven, null, "n7") &&
        all(15) == Row(15L, 15L, "new", seven, null, "n15"))
      assert(all(8) == Row(8L, 8L, "b8", new java.math.BigDecimal("8.000"), Seq[Any](8L, null), "n8"))
      assert(all(29).isNullAt(4) && all(3).isNullAt(3) && all(3).getString(5) == "all27")
      assert(dataset(t).fragments.size == 3)
      intercept[Exception](sql(s"UPDATE $t SET n = l[1] WHERE id = 8"))
      intercept[Exception](sql(s"UPDATE $t SET n = raise_error('no') WHERE id = 28"))
      assert(dataset(t).version == 6)
    }
  }

  test("a key that all columns of the source bring along is not written") {
    withNumbers { t =>
      sql("CREATE OR REPLACE TEMP VIEW source AS SELECT id, concat('s', id) AS name FROM range(95, 105)")
      inPlace(sql(s"""MERGE INTO $t t USING source s ON s.id = t.id
                     |WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *""".stripMargin))
      assert(update(t).fieldsModified == Seq(dataset(t).schema.fields(1).id))
      assert(names(t) == (0L until 105L).map(i => i -> (if (i < 95) nameOf(i) else Some(s"s$i"))).toMap)
      // Rows that the source lacks do not satisfy the condition.
      inPlace(sql(s"""MERGE INTO $t t USING source s ON s.id = t.id
                     |WHEN NOT MATCHED BY SOURCE AND t.id = 7 THEN UPDATE SET id = -7""".stripMargin))
      assert(ids(t).head == -7 && update(t).fieldsModified == Seq(dataset(t).schema.fields.head.id))
    }
  }

  test("a row that several source rows match is an error, and nothing is left behind") {
    withNumbers { t =>
      val merge =
        s"""MERGE INTO $t t USING (SELECT * FROM VALUES (3L, 'a'), (3L, 'b'), (4L, 'c') AS v(id, name)) s
                     |ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = s.name""".stripMargin
      val e = intercept[Exception](inPlace(sql(merge)))
      assert(Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).exists(
        _.getMessage.contains("MERGE_CARDINALITY_VIOLATION")
      ))
      assert(dataset(t).version == 1)
      eventually(assert(dataFiles(root(t)).size == 10))
    }
  }

  test("what assigns nothing, or changes no row, writes no column") {
    withNumbers { t =>
      inPlace {
        sql(s"UPDATE $t SET name = 'x' WHERE id = 1234")
        sql(s"UPDATE $t SET name = 'x' WHERE false")
        sql(
          s"MERGE INTO $t t USING (SELECT 1234L AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = 'x'"
        )
        assert(dataset(t).version == 1 && dataFiles(root(t)).size == 10)
        sql(s"UPDATE $t SET name = name WHERE id = 3")
        sql(s"MERGE INTO $t t USING (SELECT 5L AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE")
      }
      assert(names(t) == (0L until 100L).filterNot(_ == 5).map(i => i -> nameOf(i)).toMap)
    }
  }

  test("what cannot be written in place is refused by name") {
    withTable { t =>
      sql(s"""CREATE TABLE $t (k BIGINT NOT NULL, o BIGINT, b BINARY, v STRING) USING lance
             |  TBLPROPERTIES ('b.lance-encoding:blob' = 'true', 'lance.write.orderColumns' = 'o',
             |  'k.lance-schema:unenforced-primary-key' = 'true')""".stripMargin)
      sql(s"INSERT INTO $t VALUES (1, 2, X'03', 'a')")
      inPlace {
        assert(refusal(
          sql(s"UPDATE $t SET k = 2")
        ).contains("it assigns column 'k' of the primary key. Set updateMode"))
        assert(refusal(
          sql(s"UPDATE $t SET o = 2, v = 'x'")
        ).contains("column 'o', by which rows are grouped or ordered"))
        assert(refusal(sql(s"UPDATE $t SET b = NULL")).contains("column 'b' of blobs"))
        sql(s"UPDATE $t SET v = 'new'")
      }
      assert(sql(s"SELECT k, o, v FROM $t").head() == Row(1L, 2L, "new"))
      assert(refusal(withSetting(mode, "column")(sql(s"UPDATE $t SET v = 'x'"))).contains("it must be"))
    }
  }
}
