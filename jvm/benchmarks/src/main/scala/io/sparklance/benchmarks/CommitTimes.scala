package io.sparklance.benchmarks

import java.util.UUID

import scala.collection.mutable
import scala.io.StdIn
import scala.util.control.NonFatal

import io.sparklance.dataset.Dataset
import io.sparklance.io.LocalStore
import io.sparklance.table.transaction.{Operation, Transaction}
import io.sparklance.table.{DataFile, Fragment}

/** Times commits and opening, for tables with many versions or fragments: the worker `commits` of
  * `./dev bench`.
  * {{{
  * {"case": "append", "contender": "sparklance /path/of/table"}    →    @ {"seconds": 0.00123, "cpu": 0.00101}
  * }}}
  * of one operation out of many. `cpu` is the CPU time of its thread. Appends repeat the table's files under
  * new names; no file is read.
  */
object CommitTimes {

  /** Seconds of warm-up, and of each measurement. */
  private val WarmUp = 3.0
  private val Measured = 1.0

  private val Request = """.*"case": "(\w+)", "contender": "\S+ ([^"]*)".*""".r

  /** The first of each table. */
  private val files = mutable.Map.empty[String, DataFile]
  private var warm = Set.empty[String]

  def main(args: Array[String]): Unit =
    Iterator.continually(StdIn.readLine()).takeWhile(_ != null).foreach {
      case Request(name, root) if cases.contains(name) =>
        try println(timed(s"$name $root", () => cases(name)(root)))
        catch { case NonFatal(e) => println(s"""@ {"error": "${e.toString.replace('"', '\'')}"}""") }
      case line => println(s"""@ {"error": "not known: ${line.replace('"', '\'')}"}""")
    }

  private val cases: Map[String, String => Any] = Map(
    "open" -> (Dataset.open(LocalStore, _)),
    "append" -> (root => append(root, Dataset.open(LocalStore, root).version)),
    "behind" -> (root => append(root, math.max(1, Dataset.open(LocalStore, root).version - Behind))),
    "history" -> (Dataset.open(LocalStore, _).versions.size)
  )

  /** Versions that a late writer missed. */
  private val Behind = 100L

  private def append(root: String, readVersion: Long): Any = {
    val operation = Operation.Append(Vector(Fragment.of(
      Vector(files.getOrElseUpdate(root, Dataset.open(LocalStore, root).fragments.head.files.head)),
      physicalRows = 1
    )))
    Dataset.commit(LocalStore, root, Transaction(readVersion, UUID.randomUUID().toString, operation))
  }

  private def timed(key: String, work: () => Any): String = {
    if (!warm(key)) repeated(work, WarmUp)
    warm += key
    val cpuStart = CoreScan.threadNanos
    val (seconds, times) = repeated(work, Measured)
    val cpu = (CoreScan.threadNanos - cpuStart) / 1e9
    s"""@ {"seconds": ${seconds / times}, "cpu": ${cpu / times}}"""
  }

  private def repeated(work: () => Any, seconds: Double): (Double, Int) = {
    val start = System.nanoTime()
    var times = 0
    while (times == 0 || CoreScan.secondsSince(start) < seconds) {
      val _ = work()
      times += 1
    }
    (CoreScan.secondsSince(start), times)
  }
}
