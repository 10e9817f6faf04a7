package io.sparklance.benchmarks

import java.lang.management.ManagementFactory
import java.util.concurrent.{Callable, Executors}

import scala.io.StdIn
import scala.jdk.CollectionConverters._
import scala.util.Using
import scala.util.control.NonFatal

import com.sun.management.OperatingSystemMXBean

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.scan.{ScanPlan, Split, SplitReader, SplitTarget}

/** Times the core reader alone, without Spark: the worker `core` of `./dev bench`. The argument is the folder
  * of the data.
  * {{{
  * {"case": "core_all", "contender": "sparklance 2.2"}    →    @ {"seconds": 0.123, "cpu": 0.231, "work": 0.224, "first": 0.004, "rows": 6001215}
  * }}}
  * `cpu` is what all processors together spent on this process, and `work` what the threads did that read;
  * these count on a machine which does other things besides. `first` is when the first batch was there. A
  * case may name columns, `core_all:l_tax,l_comment`. See [[DistantStore]] for settings.
  */
object CoreScan {
  private val BatchRows: Int = Integer.getInteger("batchRows", 4096).intValue
  private val Threads: Int = Integer.getInteger("threads", 2).intValue

  /** Splits of equal work, some for each thread, so that all threads end at about the same time. */
  private val Target =
    SplitTarget.Balanced(maxBytes = 64L << 20, openBytes = 1L << 20, minSplits = 4 * Threads)

  private val Request = """.*"case": "(\w+):?([^"]*)", "contender": "\S+ ([^"]*)".*""".r
  private val tables = Map(
    "core_all" -> "lineitem",
    "core_cold_all" -> "lineitem",
    "core_take" -> "lineitem",
    "core_vectors" -> "embeddings",
    "core_cold_vectors" -> "embeddings"
  )

  def main(args: Array[String]): Unit =
    Iterator.continually(StdIn.readLine()).takeWhile(_ != null).foreach {
      case Request(name, columns, version) if tables.contains(name) =>
        val names = columns.split(',').filter(_.nonEmpty).toSet
        try {
          val dataset = Dataset.open(DistantStore.configured, s"${args(0)}/${tables(name)}-$version.lance")
          println(if (name == "core_take") CoreTake.timed(dataset) else timed(dataset, names))
        } catch { case NonFatal(e) => println(s"""@ {"error": "${e.toString.replace('"', '\'')}"}""") }
      case line => println(s"""@ {"error": "not known: ${line.replace('"', '\'')}"}""")
    }

  private def timed(dataset: Dataset, names: Set[String]): String = {
    val projection = dataset.schema.fields.filter(f => names.isEmpty || names(f.name))
    val (start, cpuStart) = (System.nanoTime(), cpuNanos)
    val results = inParallel(ScanPlan.splits(dataset, projection, Target))(read(dataset, _))
    val (seconds, cpu) = (secondsSince(start), (cpuNanos - cpuStart) / 1e9)
    val first = results.map(_.firstBatch).min
    val (work, rows) = (results.map(_.workNanos).sum / 1e9, results.map(_.rows).sum)
    s"""@ {"seconds": $seconds, "cpu": $cpu, "work": $work, "first": ${(first - start) /
        1e9}, "rows": $rows}"""
  }

  private def cpuNanos: Long =
    ManagementFactory.getPlatformMXBean(classOf[OperatingSystemMXBean]).getProcessCpuTime

  private[benchmarks] def threadNanos: Long = ManagementFactory.getThreadMXBean.getCurrentThreadCpuTime

  private[benchmarks] def secondsSince(nanos: Long): Double = (System.nanoTime() - nanos) / 1e9

  private def inParallel[A, B](all: Vector[A])(work: A => B): Vector[B] = {
    val pool = Executors.newFixedThreadPool(Threads)
    try {
      val jobs: Vector[Callable[B]] = all.map(one => () => work(one))
      pool.invokeAll(jobs.asJava).asScala.map(_.get).toVector
    } finally pool.shutdown()
  }

  private def read(dataset: Dataset, split: Split): SplitScan =
    Using.resource(new SplitReader(dataset.store, split, BatchRows)) { reader =>
      val workStart = threadNanos
      val batches = Iterator.continually(reader.next()).takeWhile(identity).map(_ => reader.rowCount.toLong)
      val first = batches.nextOption().getOrElse(0L)
      val firstBatch = System.nanoTime()
      val rows = first + batches.sum
      SplitScan(rows, firstBatch, threadNanos - workStart)
    }
}

/** Rows and times of the scan of a split.
  *
  * @param firstBatch
  *   when it was there, in nanoseconds of the JVM's clock
  * @param workNanos
  *   what the thread spent on it
  */
final private case class SplitScan(rows: Long, firstBatch: Long, workNanos: Long)
