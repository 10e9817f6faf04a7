package io.sparklance.spark.index

import java.nio.file.{Files, Path}

import org.apache.spark.sql.Row
import org.scalatest.tags.Slow

import io.sparklance.RetryableCommitConflictException
import io.sparklance.dataset.Dataset
import io.sparklance.index.build.IndexedColumn
import io.sparklance.spark.SparkSuite
import io.sparklance.spark.options.StoreOptions

@Slow
class IndexStatementsSuite extends SparkSuite {

  /** Runs a test with a table of 30 rows in three fragments. */
  private def withRows[A](body: String => A): A = withTable { table =>
    sql(s"CREATE TABLE $table (id BIGINT, name STRING, tags ARRAY<STRING>, st STRUCT<x: INT>) USING lance")
    (0 until 3).foreach { i =>
      sql(
        s"INSERT INTO $table SELECT /*+ COALESCE(1) */ id, 'n' || id % 4, array('a'), named_struct('x', 1) " +
          s"FROM range(${10 * i}, ${10 * i + 10})"
      )
    }
    body(table)
  }

  /** Names, types, columns and fragments, covered and not. */
  private def shown(table: String): Seq[Row] = sql(s"SHOW INDEXES IN $table")
    .select("name", "type", "columns", "segments", "indexed_fragments", "unindexed_fragments")
    .collect()
    .toSeq

  private def segments(table: String): Seq[String] = {
    val directory = Path.of(root(table), "_indices")
    if (Files.exists(directory)) directory.toFile.list.toSeq else Nil
  }

  test("Spark's CREATE INDEX builds, and IF NOT EXISTS leaves an existing index") {
    withRows { table =>
      sql(s"CREATE INDEX by_id ON $table USING btree (id) OPTIONS (zone_size = 8)")
      sql(s"CREATE INDEX IF NOT EXISTS by_id ON TABLE $table USING bitmap (name)")
      sql(s"CREATE INDEX by_x ON $table (st.x)")
      assert(shown(table) == Seq(
        Row("by_id", "BTree", Seq("id"), 1, 3, 0),
        Row("by_x", "BTree", Seq("st.x"), 1, 3, 0)
      ))
      val again = intercept[Exception](sql(s"CREATE INDEX by_id ON $table USING btree (id)"))
      assert(again.getMessage.contains("INDEX_ALREADY_EXISTS"))
    }
  }

  test("Spark's DROP INDEX drops, and IF EXISTS accepts a missing index") {
    withRows { table =>
      sql(s"CREATE INDEX i ON $table USING bitmap (name)")
      sql(s"DROP INDEX i ON $table")
      sql(s"DROP INDEX IF EXISTS i ON $table")
      assert(shown(table).isEmpty)
      assert(intercept[Exception](sql(s"DROP INDEX i ON $table")).getMessage.contains("INDEX_NOT_FOUND"))
    }
  }

  test("lance-spark's ALTER TABLE statements create, optimize and drop") {
    withRows { table =>
      sql(s"ALTER TABLE $table CREATE INDEX i USING zonemap (id) WITH (rows_per_zone = 4)")
      sql(s"ALTER TABLE $table CREATE INDEX IF NOT EXISTS i USING zonemap (id)")
      sql(s"INSERT INTO $table VALUES (99, null, null, null)")
      assert(shown(table) == Seq(Row("i", "ZoneMap", Seq("id"), 1, 3, 1)))
      sql(s"ALTER TABLE $table REFRESH INDEX i")
      assert(shown(table) == Seq(Row("i", "ZoneMap", Seq("id"), 2, 4, 0)))
      sql(s"ALTER TABLE $table OPTIMIZE INDEX i WITH (num_indices_to_merge = 2)")
      assert(shown(table) == Seq(Row("i", "ZoneMap", Seq("id"), 1, 4, 0)))
      sql(s"ALTER TABLE $table DROP INDEX i")
      sql(s"ALTER TABLE $table DROP INDEX IF EXISTS i")
      assert(refusal(sql(s"ALTER TABLE $table DROP INDEX i")).contains("no index 'i': it has none"))
    }
  }

  test("requests that make no sense are refused by name, and leave no file") {
    withRows { table =>
      def refused(arguments: String): String =
        refusal(sql(s"CALL lance.system.create_index('$table', $arguments)"))
      assert(refused("'id', 'rtree'").contains("no index type 'rtree'"))
      assert(refused("'tags', 'btree'").contains("'tags' is of type list"))
      assert(refused("'name', 'label_list'").contains("takes arrays of"))
      assert(refused("'id', 'ngram'").contains("takes strings"))
      assert(refused("'tags.element', 'btree'").contains("inside a list"))
      assert(refused("'nothing', 'btree'").contains("no column 'nothing'"))
      assert(refused("'id', 'btree', name => '__lance_x'").contains("internal"))
      assert(refused("'id', 'btree', fragment_ids => array(1L, 7L)").contains("no fragment 7"))
      assert(refused("'id', 'btree', options => map('page', '1')").contains("no setting 'page'"))
      assert(refused("'id', 'btree', options => map('zone_size', '0')").contains("whole number from 1"))
      assert(refused("'id', 'bloomfilter', options => map('probability', '2')").contains("between 0 and 1"))
      sql(s"CALL lance.system.create_index('$table', 'id', 'btree', name => 'i')")
      assert(refused("'id', 'btree', name => 'i'").contains("has an index 'i'"))
      assert(refused("'name', 'btree', name => 'i', replace => true").contains("on another column"))
      assert(segments(table).size == 1)
    }
  }

  test("replace puts the new index in the place of all segments of the old one") {
    withRows { table =>
      sql(s"CALL lance.system.create_index('$table', 'id', 'btree', fragment_ids => array(0L))")
      assert(shown(table) == Seq(Row("id_idx", "BTree", Seq("id"), 1, 1, 2)))
      sql(s"INSERT INTO $table VALUES (99, null, null, null)")
      sql(s"CALL lance.system.optimize_indices('$table')")
      sql(s"CALL lance.system.create_index('$table', 'id', 'bitmap', replace => true)")
      assert(shown(table) == Seq(Row("id_idx", "Bitmap", Seq("id"), 1, 4, 0)))
      assert(sql(s"CALL lance.system.validate('$table')").collect().isEmpty)
    }
  }

  test("an index that is not trained covers nothing until it is optimized") {
    withRows { table =>
      Seq("btree", "bitmap", "zonemap", "bloomfilter").foreach { kind =>
        sql(s"CALL lance.system.create_index('$table', 'id', '$kind', name => '$kind', train => false)")
      }
      assert(shown(table).map(_.getLong(4)) == Seq(0, 0, 0, 0))
      sql(s"CALL lance.system.optimize_indices('$table')")
      assert(shown(table).map(row => (row.getLong(3), row.getLong(4))) == Seq.fill(4)((1L, 3L)))
    }
  }

  test("an index is optimized only if it lacks rows, keeps its settings, and others stay as they are") {
    withRows { table =>
      sql(s"CREATE INDEX i ON $table USING zonemap (id) OPTIONS (rows_per_zone = 3)")
      sql(s"CREATE INDEX j ON $table USING btree (id)")
      assert(sql(s"CALL lance.system.optimize_indices('$table')").collect().isEmpty)
      sql(s"INSERT INTO $table SELECT /*+ COALESCE(1) */ id, null, null, null FROM range(7)")
      val done = sql(s"CALL lance.system.optimize_indices('$table', array('i'))").collect()
      assert(done.map(row => (row.getString(0), row.getLong(2), row.getLong(3))).toSeq == Seq(("i", 1L, 0L)))
      assert(shown(table).map(_.getLong(5)) == Seq(0, 1))
      assert(
        refusal(sql(s"CALL lance.system.optimize_indices('$table', array('k'))")).contains("it has i, j")
      )
    }
  }

  test("a segment that lost a rewritten fragment is replaced, so that its old rows stay away") {
    withRows { table =>
      sql(s"CREATE INDEX i ON $table USING btree (id)")
      sql(s"CALL lance.system.update_columns('$table', map('id', 'id + 100'), where => '_fragid = 1')")
      assert(shown(table) == Seq(Row("i", "BTree", Seq("id"), 1, 2, 1)))
      val done = sql(s"CALL lance.system.optimize_indices('$table')").collect()
      assert(done.map(row => (row.getLong(2), row.getLong(3))).toSeq == Seq((3L, 1L)))
      assert(shown(table) == Seq(Row("i", "BTree", Seq("id"), 1, 3, 0)))
    }
  }

  test("a build that fails leaves no files") {
    withRows { table =>
      val file = Path.of(dataFiles(root(table)).max)
      Files.write(file, Files.readAllBytes(file).map(_ => 0.toByte))
      Seq("btree", "bitmap", "zonemap").foreach { kind =>
        val _ = intercept[Exception](sql(s"CREATE INDEX i ON $table USING $kind (id)"))
      }
      assert(segments(table).isEmpty)
    }
  }

  /** Builds an index of `id`, and lets others change the table between the build and its commit. */
  private def buildDuring(table: String)(change: => Unit): Unit = {
    val location = StoreOptions.locate(root(table))
    val dataset = Dataset.open(location.store, location.root)
    val column = IndexedColumn(Vector(dataset.schema.fields.head))
    val recipe = IndexRecipe.of(RequestedKind("bitmap"))
    val fragments = dataset.fragments.map(_.id).toSet
    val work = new IndexWork(location, dataset, column, recipe.numbers, fragments)
    change
    val _ = new IndexBuild(location).run("i", "CREATE INDEX", recipe, work, Vector.empty)
  }

  test("an append during a build is no conflict, and its rows are not covered") {
    withRows { table =>
      buildDuring(table) { val _ = sql(s"INSERT INTO $table VALUES (99, null, null, null)") }
      assert(shown(table) == Seq(Row("i", "Bitmap", Seq("id"), 1, 3, 1)))
    }
  }

  test("compaction and new values of the column during a build are conflicts, which leave no files") {
    Seq(
      "CALL lance.system.compact('%s')",
      "CALL lance.system.update_columns('%s', map('id', 'id + 1'))"
    ).foreach {
      change =>
        withRows { table =>
          val _ = intercept[RetryableCommitConflictException] {
            buildDuring(table) { val _ = sql(change.format(table)) }
          }
          assert(shown(table).isEmpty && segments(table).isEmpty)
        }
    }
  }

  test("the history has the statements, and clean-up removes the files of dropped indices") {
    withRows { table =>
      sql(s"CREATE INDEX i ON $table USING btree (id)")
      sql(s"DROP INDEX i ON $table")
      val last = sql(s"DESCRIBE HISTORY $table LIMIT 2").select("operation", "operationParameters").collect()
      assert(last.map(_.getString(0)).toSeq == Seq("DROP INDEX", "CREATE INDEX"))
      assert(last.last.getMap[String, String](1) == Map("name" -> "i", "column" -> "id", "type" -> "BTREE"))
      assert(segments(table).size == 1)
      sql(s"CALL lance.system.cleanup('$table', older_than => '0s', retain_versions => 1)")
      assert(segments(table).isEmpty)
    }
  }

  test("jobs of a build show the index in Spark's UI") {
    withRows { table =>
      val jobs = scala.collection.mutable.Buffer.empty[String]
      val listener = new org.apache.spark.scheduler.SparkListener {
        override def onJobStart(job: org.apache.spark.scheduler.SparkListenerJobStart): Unit =
          Option(job.properties.getProperty("spark.job.description")).foreach(jobs += _)
      }
      spark.sparkContext.addSparkListener(listener)
      try {
        sql(s"CREATE INDEX i ON $table USING btree (id)")
        eventually(assert(jobs.exists(_.endsWith("version 4, build index i (BTREE) on id"))))
      } finally spark.sparkContext.removeSparkListener(listener)
    }
  }
}
