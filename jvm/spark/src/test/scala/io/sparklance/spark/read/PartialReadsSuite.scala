package io.sparklance.spark.read

import java.lang.management.ManagementFactory
import javax.management.ObjectName

import org.apache.spark.sql.DataFrame

import io.sparklance.spark.SparkSuite

/** Reads that are left half-way keep no reader and no block of values, which own all of a scan's buffers. */
final class PartialReadsSuite extends SparkSuite {
  import PartialReadsSuite.reachable

  private lazy val path: String = {
    val made = freshPath()
    spark.range(0, 100000, 1, 2).selectExpr("id", "repeat(cast(id AS string), 9) AS s")
      .write.format("lance").save(made)
    made
  }

  private def read: DataFrame = spark.read.format("lance").option("splitRows", 30000).load(path)

  test("a running scan is detected") {
    val before = reachable.values.sum
    val during = read.rdd.mapPartitions { rows =>
      val seen = if (rows.hasNext) PartialReadsSuite.reachable.values.sum else 0L
      Iterator.single(seen)
    }.collect()
    assert(during.max > before)
  }

  test("iterators that are not drained hold nothing of the scan, kept or dropped") {
    val before = reachable
    var kept = (0 until 15).map { _ =>
      val rows = read.toLocalIterator()
      (0 until 100).foreach(_ => rows.next())
      rows
    }
    eventually(assert(reachable == before))
    assert(kept.forall(_.hasNext))
    kept = Vector.empty
    eventually(assert(reachable == before))
  }

  test("tasks that need few of their rows hold nothing of the scan") {
    val before = reachable
    (0 until 5).foreach { _ =>
      assert(read.rdd.mapPartitions(_.take(1)).count() > 1)
      assert(read.limit(3).collect().length == 3)
    }
    eventually(assert(reachable == before))
  }
}

private object PartialReadsSuite {

  /** Objects of scans that are reachable, by their class: the histogram collects garbage first. */
  def reachable: Map[String, Long] = {
    val histogram = ManagementFactory.getPlatformMBeanServer.invoke(
      new ObjectName("com.sun.management:type=DiagnosticCommand"),
      "gcClassHistogram",
      Array[AnyRef](Array.empty[String]),
      Array(classOf[Array[String]].getName)
    ).toString
    histogram.linesIterator.map(_.trim.split("\\s+")).collect {
      case Array(_, count, _, name, _*) if isOfScan(name) => name -> count.toLong
    }.toMap
  }

  private def isOfScan(name: String): Boolean =
    Seq("io.sparklance.data.", "io.sparklance.dataset.scan.", "io.sparklance.spark.read.Lance")
      .exists(name.startsWith) && Seq("Block", "Reader", "Column").exists(name.endsWith)
}
