package io.sparklance.fuzz

import java.lang.management.ManagementFactory
import java.util.concurrent.atomic.AtomicReference
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.collection.mutable

/** Runs cases one after the other in a thread, and watches from another that none takes for ever.
  *
  * @param fuzz
  *   runs the case of a number
  * @param report
  *   is called with each case, in the thread that runs them
  */
final class FuzzRun(fuzz: Long => Case, numbers: Iterator[Long], report: Case => Unit) {
  import FuzzRun._

  private val started = new AtomicReference(Started(0, 0))
  private val done = new CountDownLatch(1)
  @volatile private var broken: Option[Throwable] = None

  /** Ends when all cases have; throws if one hangs. */
  def await(): Unit = {
    val worker = new Thread(() => work(), "fuzzer")
    worker.setDaemon(true)
    worker.start()
    while (!done.await(1, TimeUnit.SECONDS)) {
      val current = started.get
      // Processor time, as the machine may have other things to do.
      if (cpu.getThreadCpuTime(worker.getId) - current.at > CaseNanos && started.get == current) {
        val hang = new Lie(s"case ${current.number} takes more than ${CaseNanos / 1000000000L} s")
        hang.setStackTrace(worker.getStackTrace)
        throw hang
      }
    }
    broken.foreach(throw _)
  }

  private def work(): Unit =
    try numbers.foreach { number =>
        started.set(Started(number, cpu.getCurrentThreadCpuTime))
        report(fuzz(number))
      }
    catch { case e: Throwable => broken = Some(e) }
    finally done.countDown()
}

object FuzzRun {
  final private case class Started(number: Long, at: Long)
  private val CaseNanos = 10L * 1000 * 1000 * 1000
  private val cpu = ManagementFactory.getThreadMXBean
}

/** Counts how cases ended. */
final class Tally {
  private val counts = mutable.Map.empty[(String, String), Int].withDefaultValue(0)
  var failures = 0

  def add(some: Case): Unit = {
    val ending = some.ending match {
      case Ending.Unharmed => "unharmed"
      case Ending.Differs(_) => "differs"
      case Ending.Refused(_) => "refused"
      case Ending.Failed(_) =>
        failures += 1
        "FAILED"
    }
    counts((some.damage.kind, ending)) += 1
  }

  def print: String = {
    val endings = Seq("unharmed", "differs", "refused", "FAILED")
    def row(kind: String, of: String => Int) = f"$kind%-24s" + endings.map(e => f"${of(e)}%10d").mkString
    val kinds = counts.keys.map(_._1).toVector.distinct.sorted
    val rows = kinds.map(kind => row(kind, ending => counts((kind, ending))))
    val all = row("all", ending => kinds.map(kind => counts((kind, ending))).sum)
    ((" " * 24 + endings.map(e => f"$e%10s").mkString) +: rows :+ all).mkString("\n")
  }
}
