package io.sparklance.benchmarks

import scala.util.{Random, Using}

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.snapshot.RowAddress

/** Times taking 1,000 rows of lineitem by their addresses, 4 columns of them, without Spark. */
object CoreTake {
  private val Rows = 1000
  private val Columns = Set("l_orderkey", "l_partkey", "l_suppkey", "l_linenumber")

  /** Repetitions before the first measurement: a JVM compiles code after some thousand runs. */
  private val WarmUps = 50
  private var isWarm = false

  def timed(dataset: Dataset): String = {
    if (!isWarm) (0 until WarmUps).foreach(_ => take(dataset))
    isWarm = true
    val (start, workStart) = (System.nanoTime(), CoreScan.threadNanos)
    val rows = take(dataset)
    val (seconds, work) = (CoreScan.secondsSince(start), (CoreScan.threadNanos - workStart) / 1e9)
    s"""@ {"seconds": $seconds, "work": $work, "rows": $rows}"""
  }

  private def take(dataset: Dataset): Int = {
    val projection = dataset.schema.fields.filter(f => Columns(f.name))
    Using.resource(dataset.take(addresses(dataset), projection)) { reader =>
      Iterator.continually(reader.next()).takeWhile(identity).map(_ => reader.rowCount).sum
    }
  }

  /** Random positions in the table, equal in each run. */
  private def addresses(dataset: Dataset): Array[Long] = {
    val random = new Random(5)
    val fragments = dataset.fragments.map(f => RowAddress.ofFragment(f.id, f.physicalRows.getOrElse(0L)))
    val ends = fragments.scanLeft(0L)(_ + _.length)
    Array.fill(Rows) {
      val row = random.nextLong(ends.last)
      val fragment = ends.lastIndexWhere(_ <= row)
      fragments(fragment).start + row - ends(fragment)
    }
  }
}
