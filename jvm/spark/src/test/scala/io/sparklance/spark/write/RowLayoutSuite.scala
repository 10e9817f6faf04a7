package io.sparklance.spark.write

import org.apache.spark.sql.{DataFrame, DataFrameWriter, Row}

import io.sparklance.dataset.Dataset
import io.sparklance.io.LocalStore
import io.sparklance.spark.SparkSuite
import io.sparklance.spark.options.{ColumnPath, LanceOptions, RowLayout, SortKey}

/** Distribution of rows to tasks before a write. */
final class RowLayoutSuite extends SparkSuite {

  private def fragments(path: String): Vector[Long] =
    Dataset.open(LocalStore, path).fragments.flatMap(_.physicalRows)

  /** Many tasks with few rows each. */
  private def scattered: DataFrame =
    spark.range(0, 4000, 1, 40).selectExpr("hash(id) AS k", "id % 3 AS three", "named_struct('b', id) AS s")

  private def writer(options: (String, String)*): DataFrameWriter[Row] =
    scattered.write.format("lance").options(options.toMap)

  test("each task makes a fragment by default") {
    val path = freshPath()
    writer().save(path)
    assert(fragments(path) == Vector.fill(40)(100L))
  }

  test("small tasks are joined, and large ones divided") {
    val together = freshPath()
    writer("advisoryPartitionSize" -> "64m").save(together)
    assert(fragments(together).size <= 2 && load(together).count() == 4000)
    val divided = freshPath()
    writer("advisoryPartitionSize" -> "8k").save(divided)
    assert(fragments(divided).size > 2 && fragments(divided).size < 40)
    assert(load(divided).selectExpr("sum(s.b)").head() == Row(3999L * 2000))
  }

  test("rows with equal values go to the same task, sorted if requested") {
    val path = freshPath()
    writer("clusterColumns" -> "three", "orderColumns" -> "S.B desc").save(path)
    val read = load(path).selectExpr("_fragid", "_rowaddr", "three", "s.b")
    assert(
      read.groupBy("three").agg(org.apache.spark.sql.functions.countDistinct("_fragid")).collect().forall(
        _.getLong(1) == 1
      )
    )
    val byFragment = read.orderBy("_rowaddr").collect().groupBy(_.getLong(0)).values
    byFragment.foreach(rows => assert(rows.map(-_.getLong(3)).toSeq == rows.map(-_.getLong(3)).sorted.toSeq))
  }

  test("files follow one another in the order of columns") {
    withTable { t =>
      sql(s"CREATE TABLE $t (k INT, three BIGINT, s STRUCT<b: BIGINT>) USING lance TBLPROPERTIES " +
        "('lance.write.orderColumns' = 'k')")
      scattered.writeTo(t).option("maxRowsPerFile", "500").append()
      val keys = sql(s"SELECT k FROM $t ORDER BY _rowaddr").collect().map(_.getInt(0)).toSeq
      assert(keys == keys.sorted && fragments(root(t)).size >= 8)
      // The write's own word wins.
      val none = refusal(scattered.writeTo(t).option("orderColumns", "nix").append())
      assert(none.contains("lack column 'nix'"))
      scattered.selectExpr("k", "three", "s").writeTo(t).using("lance").createOrReplace()
      val replaced =
        refusal(sql(s"CREATE TABLE ${t}_x (a INT) USING lance TBLPROPERTIES ('lance.write.x' = '1')"))
      assert(replaced.contains("Option 'x' is not known"))
    }
  }

  test("columns are given by their names, separated by commas") {
    assert(RowLayout.columns("a , s.b") == Vector(ColumnPath(Vector("a")), ColumnPath(Vector("s", "b"))))
    assert(RowLayout.sortKeys("a DESC, b asc, my col, desc") == Vector(
      SortKey(ColumnPath(Vector("a")), descending = true),
      SortKey(ColumnPath(Vector("b")), descending = false),
      SortKey(ColumnPath(Vector("my col")), descending = false),
      SortKey(ColumnPath(Vector("desc")), descending = false)
    ))
    val path = freshPath()
    assert(refusal(
      writer("clusterColumns" -> "three,").save(path)
    ).contains("names of columns, separated by commas"))
    assert(
      refusal(writer("clusterColumns" -> "s.c").save(path)).contains("lack column 's.c' (options")
    )
    assert(LanceOptions.OrderColumns.defaultText.isEmpty)
  }
}
