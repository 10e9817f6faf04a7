package io.sparklance.fuzz

import java.lang.management.ManagementFactory

import scala.util.Random

import io.sparklance.dataset.Dataset
import io.sparklance.testkit.MemoryStore
import io.sparklance.{
  CommitConflictException,
  LanceException,
  LanceFormatException,
  LanceTableNotFoundException,
  Location,
  UnsupportedLanceFeatureException
}

/** Outcome of reading a damaged table. */
sealed trait Ending

object Ending {

  /** Unchanged rows. */
  case object Unharmed extends Ending

  /** Other values or rows, which nothing in the table contradicts. */
  final case class Differs(what: String) extends Ending
  final case class Refused(by: LanceException) extends Ending

  /** A forbidden outcome. */
  final case class Failed(by: Throwable) extends Ending
}

/** The seed and its number determine a case. */
final case class Case(number: Long, specimen: String, damage: Damaged, ending: Ending) {
  def print(seed: Long): String =
    s"--seed $seed --case $number: $specimen, ${damage.what}\n  ${Case.print(ending)}"
}

object Case {
  private def print(ending: Ending): String = ending match {
    case Ending.Unharmed => "the right rows"
    case Ending.Differs(what) => s"differs: $what"
    case Ending.Refused(e) => s"refused by ${e.getClass.getSimpleName}: ${e.getMessage}"
    case Ending.Failed(e) => s"FAILED by $e\n" +
        e.getStackTrace.take(40).map(at => s"    at $at").mkString("\n")
  }
}

/** Damages tables and reads them. */
final class Fuzzer(specimens: Vector[Specimen], seed: Long) {

  def run(number: Long): Case = {
    val random = new Random(seed * 0x9e3779b97f4a7c15L ^ number * 0xbf58476d1ce4e5b9L)
    val specimen = specimens(random.nextInt(specimens.size))
    val damage = new Damage(specimens, random)(specimen)
    val ending =
      Fuzzer.judged(specimen.size)(
        specimen.reading.fold(Fuzzer.read(specimen, Specimen.store(damage.files)))(_(damage))
      )
    Case(number, specimen.name, damage, ending)
  }
}

object Fuzzer {

  /** Largest allowed allocation: a base for every read, and a multiple of the file for its decompressed
    * content.
    */
  private def allowance(size: Long): Long = (64L << 20) + 50 * size

  private val threads =
    ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]

  /** Returns how work on a damaged table ends.
    *
    * @param size
    *   bytes of the sound table, or of the files that are damaged
    */
  def judged(size: Long)(work: => Ending): Ending = {
    val before = allocated
    val end =
      try work
      catch { case e: Throwable => judge(e) }
    val bytes = allocated - before
    if (bytes > allowance(size)) Ending.Failed(new Lie(s"$bytes bytes were allocated; then: $end"))
    else end
  }

  private def allocated: Long = threads.getThreadAllocatedBytes(Thread.currentThread.getId)

  private def read(specimen: Specimen, store: MemoryStore): Ending = {
    val content = TableContent.read(store, Specimen.Root, specimen.unsupported)
    if (specimen.hasStatistics) TableAnswers.ask(store, Specimen.Root, specimen.unsupported)
    commit(store)
    if (content == specimen.content) Ending.Unharmed
    else if (content.rows != specimen.content.rows)
      Ending.Differs(s"${content.rows} rows, not ${specimen.content.rows}")
    else {
      val same = content.columns.toSet.intersect(specimen.content.columns.toSet).map(_._1)
      Ending.Differs(
        s"columns ${(content.columns.keySet ++ specimen.content.columns.keySet -- same).mkString(", ")}"
      )
    }
  }

  /** Commits on top of the oldest version, as that reads the transactions since then. */
  private def commit(store: MemoryStore): Unit =
    try {
      val oldest = Dataset.open(store, Specimen.Root).versions.head.version
      val _ = Dataset.open(store, Specimen.Root, Some(oldest)).append(Vector.empty)
    } catch { case _: CommitConflictException => () }

  private def judge(failure: Throwable): Ending = failure match {
    case e: LanceFormatException if e.location != Location() => Ending.Refused(e)
    case e: UnsupportedLanceFeatureException if e.location != Location() => Ending.Refused(e)
    case e: LanceTableNotFoundException => Ending.Refused(e)
    case e => Ending.Failed(e)
  }
}
