package io.sparklance.benchmarks

import java.lang.management.ManagementFactory
import java.util.concurrent.{Callable, ConcurrentLinkedQueue, Executors}

import scala.io.StdIn
import scala.jdk.CollectionConverters._
import scala.util.Using
import scala.util.control.NonFatal

import com.sun.management.OperatingSystemMXBean

import io.sparklance.dataset.{Dataset, ScanPlan, Split, SplitReader, SplitTarget}

/** Times the core reader alone, without Spark: the worker `core` of `./dev bench`. The argument is the folder of the data.
  * {{{
  * {"case": "core_all", "contender": "sparklance 2.2"}    →    @ {"seconds": 0.123, "cpu": 0.231, "rows": 6001215}
  * }}}
  * `cpu` is what all processors together spent on this process; that counts on a machine which does other things besides.
  * A case may name columns, `core_all:l_tax,l_comment`. See [[DistantStore]] for settings.
  */
object CoreScan {
  private val SplitBytes = SplitTarget.Bytes(32L << 20)
  private val BatchRows = 4096
  private val Threads: Int = Integer.getInteger("threads", 2).intValue

  private val Request = """.*"case": "(\w+):?([^"]*)", "contender": "\S+ ([^"]*)".*""".r
  private val tables = Map("core_all" -> "lineitem", "core_vectors" -> "embeddings")

  def main(args: Array[String]): Unit =
    Iterator.continually(StdIn.readLine()).takeWhile(_ != null).foreach {
      case Request(name, columns, version) if tables.contains(name) =>
        val names = columns.split(',').filter(_.nonEmpty).toSet
        try println(timed(
            Dataset.open(DistantStore.configured, s"${args(0)}/${tables(name)}-$version.lance"),
            names
          ))
        catch { case NonFatal(e) => println(s"""@ {"error": "${e.toString.replace('"', '\'')}"}""") }
      case line => println(s"""@ {"error": "not known: ${line.replace('"', '\'')}"}""")
    }

  private def timed(dataset: Dataset, names: Set[String]): String = {
    val (start, cpuStart) = (System.nanoTime(), cpuNanos)
    val rows = scan(dataset, names)
    val (seconds, cpu) = ((System.nanoTime() - start) / 1e9, (cpuNanos - cpuStart) / 1e9)
    s"""@ {"seconds": $seconds, "cpu": $cpu, "rows": $rows}"""
  }

  private def cpuNanos: Long =
    ManagementFactory.getPlatformMXBean(classOf[OperatingSystemMXBean]).getProcessCpuTime

  /** Decodes all rows of the columns with these names, or of all. */
  private def scan(dataset: Dataset, names: Set[String]): Long = {
    val projection = dataset.schema.fields.filter(f => names.isEmpty || names(f.name))
    val splits = new ConcurrentLinkedQueue(ScanPlan.splits(dataset, projection, SplitBytes).asJava)
    val pool = Executors.newFixedThreadPool(Threads)
    try {
      val worker: Callable[Long] = () =>
        Iterator.continually(splits.poll()).takeWhile(_ != null).map(read(dataset, _)).sum
      pool.invokeAll(Seq.fill(Threads)(worker).asJava).asScala.map(_.get).sum
    } finally pool.shutdown()
  }

  private def read(dataset: Dataset, split: Split): Long =
    Using.resource(new SplitReader(dataset.store, split, BatchRows)) { reader =>
      Iterator.continually(reader.next()).takeWhile(identity).map(_ => reader.rowCount.toLong).sum
    }
}
