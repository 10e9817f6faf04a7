package io.sparklance.benchmarks

import java.lang.management.ManagementFactory
import java.util.concurrent.{Callable, ConcurrentLinkedQueue, Executors}

import scala.io.StdIn
import scala.jdk.CollectionConverters._
import scala.util.Using

import com.sun.management.OperatingSystemMXBean

import io.sparklance.dataset.{Dataset, ScanPlan, Split, SplitReader, SplitTarget}
import io.sparklance.io.LocalStore

/** Times the core reader alone, without Spark. Reads lines and answers each with the seconds that the scan took, and those that
  * all processors together spent on this process, which is what counts on a machine that does other things besides:
  * {{{
  * <table> <threads> [<column>,…]    →    @ {"seconds": 0.123, "cpu": 0.231, "rows": 6001215}
  * }}}
  */
object CoreScan {
  private val SplitBytes = SplitTarget.Bytes(32L << 20)
  private val BatchRows = 4096

  def main(args: Array[String]): Unit =
    Iterator.continually(StdIn.readLine()).takeWhile(_ != null).map(_.trim.split(' ')).foreach {
      case Array(table, threads, columns @ _*) =>
        val dataset = Dataset.open(LocalStore, table)
        val (start, cpuStart) = (System.nanoTime(), cpuNanos)
        val rows = scan(dataset, threads.toInt, columns.flatMap(_.split(',')).toSet)
        val (seconds, cpu) = ((System.nanoTime() - start) / 1e9, (cpuNanos - cpuStart) / 1e9)
        println(s"""@ {"seconds": $seconds, "cpu": $cpu, "rows": $rows}""")
      case line =>
        println(s"""@ {"error": "<table> <threads> [<columns>] expected: ${line.mkString(" ")}"}""")
    }

  private def cpuNanos: Long =
    ManagementFactory.getPlatformMXBean(classOf[OperatingSystemMXBean]).getProcessCpuTime

  /** Decodes all rows of the columns with these names, or of all. */
  private def scan(dataset: Dataset, threads: Int, names: Set[String]): Long = {
    val projection = dataset.schema.fields.filter(f => names.isEmpty || names(f.name))
    val splits = new ConcurrentLinkedQueue(ScanPlan.splits(dataset, projection, SplitBytes).asJava)
    val pool = Executors.newFixedThreadPool(threads)
    try {
      val worker: Callable[Long] = () =>
        Iterator.continually(splits.poll()).takeWhile(_ != null).map(read(dataset, _)).sum
      pool.invokeAll(Seq.fill(threads)(worker).asJava).asScala.map(_.get).sum
    } finally pool.shutdown()
  }

  private def read(dataset: Dataset, split: Split): Long =
    Using.resource(new SplitReader(dataset.store, split, BatchRows)) { reader =>
      Iterator.continually(reader.next()).takeWhile(identity).map(_ => reader.rowCount.toLong).sum
    }
}
