package io.sparklance.spark.read

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

import io.sparklance.spark.SparkSuite

/** Reads that single rows take, by the type of the column. */
final class RandomAccessSuite extends SparkSuite {
  private val rows = 30000

  /** An expression for each column, how many reads a first row of a page takes, and how many a later one. */
  private val columns = Seq[(String, String, Int, Int)](
    ("number", "hash(id)", 2, 1),
    ("text", "md5(cast(id AS STRING))", 2, 1),
    ("sentence", "concat_ws(' ', 'carefully ironic', hash(id), 'deposits sleep among', id % 97)", 2, 1),
    ("dictionary", "concat('the value with number ', abs(hash(id)) % 300)", 3, 1),
    ("numbers", "array(hash(id), id % 7, hash(id, 2))", 3, 1),
    ("lists", "array(array(md5(cast(id AS STRING))), array('a', cast(id AS STRING)))", 3, 1),
    ("pair", "named_struct('a', hash(id), 'b', hash(id, 1))", 4, 2),
    ("packed", "named_struct('a', hash(id), 'b', hash(id, 1))", 2, 1),
    ("vector", "transform(sequence(0, 63), i -> cast(hash(id, i) AS FLOAT))", 1, 1),
    ("long", "repeat(md5(cast(id AS STRING)), 4)", 2, 2),
    ("picture", "cast(concat(id, repeat('x', 100)) AS BINARY)", 3, 2)
  )

  private lazy val path: String = {
    val path = freshPath()
    val frame = spark.range(0, rows, 1, 1).selectExpr(columns.map { case (name, made, _, _) =>
      s"$made AS $name"
    }: _*)
    frame.write.format("lance")
      .option("vector.arrow.fixed-size-list.size", 64)
      .option("packed.lance-encoding:packed", "true")
      .option("picture.lance-encoding:blob", "true")
      .option("vector.lance-encoding:structural-encoding", "fullzip")
      .option("long.lance-encoding:structural-encoding", "fullzip")
      .save(path)
    path
  }

  private def reads(frame: DataFrame): Long = {
    val executed = frame.queryExecution.executedPlan
    assert(executed.executeCollect().length == 1)
    executed.collect { case scan: BatchScanExec => scan.metrics("readRequests").value }.sum
  }

  private def row(id: Int, column: String): DataFrame = spark.read.format("lance")
    .option("blobHandling", "bytes").load(path).where(s"_rowid IN ($id)").select(column)

  test("single rows take a few reads, and later ones of the same pages fewer") {
    load(path).count()
    for ((name, _, first, later) <- columns) {
      val taken = Seq(rows / 2, 7, rows - 7).map(id => reads(row(id, name)))
      assert(taken.head <= first && taken.tail.forall(_ <= later), s"$name: $taken")
    }
  }

  test("single rows are those that were written") {
    for ((name, made, _, _) <- columns) {
      val id = 9999
      val expected = spark.range(id, id + 1, 1, 1).selectExpr(s"$made AS $name")
      assert(row(id, name).selectExpr(s"to_json(struct($name))").head() ==
        expected.selectExpr(s"to_json(struct($name))").head())
    }
  }
}
