package io.sparklance.spark.metadata

import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.LocalTableScanExec

import io.sparklance.spark.SparkSuite

/** Metadata tables such as `t.versions`, for tables by name and by path. */
final class MetadataTableSuite extends SparkSuite {

  /** Three versions, a tag on the second, a branch, and a deletion. */
  private def withHistory[A](body: String => A): A = withTable { t =>
    sql(s"CREATE TABLE $t (id BIGINT, s STRUCT<a: INT, b: STRING>) USING lance")
    sql(s"INSERT INTO $t SELECT id, named_struct('a', 1, 'b', 'x') FROM range(0, 10, 1, 1)")
    sql(s"DELETE FROM $t WHERE id < 4")
    sql(s"CALL lance.system.create_tag('$t', 'two', version => 2)")
    sql(s"CALL lance.system.create_branch('$t', 'exp')")
    body(t)
  }

  test("versions") {
    withHistory { t =>
      val all =
        sql(s"SELECT version, tags, fragments, rows, data_files, deletion_files FROM default.$t.versions")
      assert(all.collect().toSeq == Seq(
        Row(3L, Seq(), 1L, 6L, 1L, 1L),
        Row(2L, Seq("two"), 1L, 10L, 1L, 0L),
        Row(1L, Seq(), 0L, 0L, 0L, 0L)
      ))
      val sizes =
        sql(s"SELECT size, manifest, manifest_size, timestamp FROM $t.versions WHERE version = 3").head()
      assert(sizes.getLong(0) > 100 && sizes.getString(1).contains("_versions") && sizes.getLong(2) > 100)
      assert(sql(s"SELECT max(version) FROM $t.versions VERSION AS OF 2").head() == Row(2L))
      assert(sql(s"SELECT version FROM $t.versions LIMIT 1").collect().toSeq == Seq(Row(3L)))
      assert(sql(s"SELECT count(*) FROM $t.versions").head() == Row(3L))
    }
  }

  test("transactions") {
    withHistory { t =>
      val all = sql(s"SELECT version, operation, read_version, uuid IS NOT NULL FROM $t.transactions")
      assert(all.collect().toSeq == Seq(
        Row(3L, "Delete", 2L, true),
        Row(2L, "Append", 1L, true),
        Row(1L, "Overwrite", 0L, true)
      ))
    }
  }

  test("fragments and files") {
    withHistory { t =>
      val fragments = sql(
        s"SELECT id, rows, physical_rows, deleted_rows, size(data_files), deletion_file FROM $t.fragments"
      )
      val one = fragments.collect().toSeq
      assert(one.map(_.toSeq.take(5)) == Seq(Seq(0L, 6L, 10L, 4L, 1)) &&
        one.head.getString(5).endsWith(".arrow"))
      assert(sql(s"SELECT deletion_file FROM $t.fragments VERSION AS OF 'two'").head() == Row(null))
      val files = sql(s"SELECT content, rows, file_version, field_ids, columns FROM $t.files").collect().toSet
      assert(files == Set(
        Row("data", 10L, "2.2", Seq(0, 2, 3), Seq("id", "s.a", "s.b")),
        Row("deletions", 4L, null, null, null)
      ))
      val paths = sql(s"SELECT path FROM $t.files").collect().map(_.getString(0).stripPrefix("file:"))
      assert(paths.forall(path => java.nio.file.Files.exists(java.nio.file.Path.of(path))))
      assert(sql(s"SELECT * FROM $t.files TIMESTAMP AS OF current_timestamp()").count() == 2)
    }
  }

  test("columns_on_disk") {
    withHistory { t =>
      val pages =
        sql(s"SELECT column, field_id, page, first_row, rows, size > 0, encoding FROM $t.columns_on_disk")
      val found = pages.collect().toSeq
      assert(found.map(row => Row.fromSeq(row.toSeq.take(6))) == Seq(
        Row("id", 0, 0, 0L, 10L, true),
        Row("s.a", 2, 0, 0L, 10L, false),
        Row("s.b", 3, 0, 0L, 10L, true)
      ))
      assert(found.head.getString(6) == "mini_block(flat(64)) [ALL_VALID_ITEM]")
      val told = sql(s"SELECT ratio, rows * 8 / size FROM $t.columns_on_disk WHERE column = 'id'").head()
      assert(told.getDouble(0) == told.getDouble(1))
      val rest = sql(s"SELECT count(ratio) FROM $t.columns_on_disk WHERE column <> 'id'").head()
      assert(rest == Row(0L), "all null, and strings")
      assert(sql(s"SELECT DISTINCT fragment_id, file_version FROM $t.columns_on_disk").head() ==
        Row(0L, "2.2"))
      assert(sql(s"SELECT * FROM $t.columns_on_disk LIMIT 2").count() == 2)
      assert(sql(s"SELECT count(*) FROM $t.columns_on_disk WHERE column = 's.b'").head() == Row(1L))
    }
  }

  test("columns_on_disk of many files takes several tasks, and none of a table without rows") {
    val path = freshPath()
    spark.range(0, 40, 1, 40).write.format("lance").save(path)
    val pages = spark.read.format("lance").option("metadataTable", "columns_on_disk").load(path)
    assert(pages.count() == 40 && pages.rdd.getNumPartitions == 3)
    val before = spark.read.format("lance").option("metadataTable", "columns_on_disk")
    sql(s"DELETE FROM lance.`$path`")
    assert(before.load(path).count() == 0 && before.option("version", 1).load(path).count() == 40)
  }

  test("tags, branches and indices") {
    withHistory { t =>
      assert(sql(s"SELECT tag, branch, version FROM $t.tags").collect().toSeq == Seq(Row("two", null, 2L)))
      val branch = sql(s"SELECT branch, parent_branch, parent_version, location FROM $t.branches").head()
      assert(branch.toSeq.take(3) == Seq[Any]("exp", null, 3L) && branch.getString(3).endsWith("tree/exp"))
      assert(rows(spark.read.format("lance").load(branch.getString(3))).size == 6)
      assert(sql(s"SELECT * FROM $t.indices").isEmpty)
    }
  }

  test("in the current database, in another one, by path and as an option") {
    withHistory { t =>
      val path = root(t)
      Seq(
        s"$t.versions",
        s"default.$t.versions",
        s"spark_catalog.default.$t.versions",
        s"lance.`$path`.versions"
      )
        .foreach(name => assert(sql(s"SELECT * FROM $name").count() == 3, name))
      def read = spark.read.format("lance").option("metadataTable", "Versions")
      assert(read.load(path).count() == 3 && read.option("version", 2).load(path).count() == 2)
      assert(spark.table(s"$t.versions").count() == 3)
      assert(refusal(read.table(t).collect()).contains(s"Use default.$t.versions"))
      assert(refusal(spark.read.format("lance").option("metadataTable", "version").load(path).collect())
        .contains("it must be one of versions,"))
      assert(sql(s"SELECT count(*) FROM $t.branch_exp.versions").head().getLong(0) >= 1)
      assert(sql(s"SELECT count(*) FROM $t.branch_exp").head() == Row(6L))
      sql(s"INSERT INTO $t.branch_exp VALUES (77, NULL)")
      assert(sql(s"SELECT count(*) FROM $t.branch_exp").head() == Row(7L))
      assert(sql(s"SELECT count(*) FROM $t").head() == Row(6L))
      assert(sql(s"SELECT count(*) FROM $t.tag_two").head() == Row(10L))
    }
  }

  test("a table that is called like that goes before") {
    withHistory { t =>
      sql(s"CREATE DATABASE $t")
      try {
        assert(sql(s"SELECT * FROM $t.versions").count() == 3)
        sql(s"CREATE TABLE $t.versions USING lance AS SELECT 'mine' AS x")
        assert(rows(sql(s"SELECT * FROM $t.versions")) == Set(Row("mine")))
        assert(sql(s"SELECT * FROM default.$t.versions").count() == 3)
      } finally { val _ = sql(s"DROP DATABASE $t CASCADE") }
    }
  }

  test("what is no table of ours, and what cannot be done to these") {
    withTable { t =>
      sql(s"CREATE TABLE $t (a INT) USING parquet")
      assert(
        intercept[Exception](sql(s"SELECT * FROM $t.versions")).getMessage.contains("TABLE_OR_VIEW_NOT_FOUND")
      )
      assert(intercept[Exception](
        sql(s"SELECT * FROM no_such.versions")
      ).getMessage.contains("TABLE_OR_VIEW_NOT_FOUND"))
    }
    withHistory { t =>
      assert(
        intercept[Exception](sql(s"INSERT INTO $t.tags SELECT * FROM $t.tags")).getMessage.contains("append")
      )
      assert(
        intercept[Exception](sql(s"SELECT * FROM $t.nothing")).getMessage.contains("TABLE_OR_VIEW_NOT_FOUND")
      )
    }
  }

  test("docs/metadata-tables.md has every table and column") {
    val page = java.nio.file.Files.readString(java.nio.file.Path.of("docs/metadata-tables.md"))
    val sections = page.split("\n## ").map(text => text.takeWhile(_ != '\n') -> text).toMap
    MetadataKind.all.foreach { kind =>
      val columns = kind.schema.map(field => s"`${field.name} ${field.dataType.sql}`")
      val missing = columns.filterNot(sections(s"`${kind.name}`").contains)
      assert(missing.isEmpty, missing.mkString(s"${kind.name}: ", ", ", ""))
    }
  }

  test("its rows are made by the driver, without a job, and columns have comments") {
    withHistory { t =>
      val plan = sql(s"SELECT version FROM $t.versions").queryExecution.executedPlan
      assert(plan.collectLeaves().forall(_.isInstanceOf[LocalTableScanExec]))
      MetadataKind.all.foreach { kind =>
        assert(spark.table(s"$t.${kind.name}").schema.forall(_.getComment().exists(_.nonEmpty)))
        val comments = sql(s"DESCRIBE $t.${kind.name}").collect().map(row => Option(row.getString(2)))
        assert(comments.length == kind.schema.length && comments.forall(_.exists(_.nonEmpty)), kind.name)
        assert(spark.table(s"$t.${kind.name}").collect().length >= 0)
      }
    }
  }
}
