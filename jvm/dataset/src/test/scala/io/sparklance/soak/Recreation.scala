package io.sparklance.soak

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.{Failure, Random, Success, Try}

import io.sparklance.RetryableCommitConflictException
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.dataset.{Dataset, TableDefinition}
import io.sparklance.io.LocalStore

/** The part of the soak that drops a table and creates it again, many times, while threads of the core, and
  * of Spark, write to it. Each table has a number: the value of all its rows, and an entry of its config. A
  * writer adds rows with the number of the table that it has read, so a row that lands in another table has
  * the wrong value.
  */
final private class Recreation(path: String, tables: Int, writers: Int) {
  import Recreation._

  private val changes = new TableChanges
  private val isOver = new AtomicBoolean
  private val failures = new ConcurrentLinkedQueue[Throwable]
  private val repeated = new AtomicInteger

  def run(): Unit = {
    val each = Vector.tabulate(writers)(number => new TableWriter(path, changes, new Random(number)))
    val threads = each.map(writer => new Thread(() => write(writer)))
    threads.foreach(_.start())
    val random = new Random(0)
    val seen = try (1 to tables).takeWhile(_ => failures.isEmpty).map(table(_, random))
    finally isOver.set(true)
    threads.foreach(_.join())
    failures.asScala.headOption.foreach(throw _)
    seen.foreach(changes.check)
    println(
      s"$tables tables with ${seen.map(_.version).sum} versions; ${changes.committed} changes of the core were " +
        s"committed, ${each.map(_.replaced).sum} found another table; $repeated tables had to be read again"
    )
  }

  private def write(writer: TableWriter): Unit =
    try while (!isOver.get) writer.step()
    catch { case e: Throwable => val _ = failures.add(e) }

  /** Creates a table, lets others write to it for a while, and drops it. */
  private def table(number: Int, random: Random): Seen = {
    val rows = Rows(path)
    val config = Map(TableWriter.Number -> number.toString)
    val definition = TableDefinition(rows.schema, rows.fileVersion, config = config)
    // A version of the dropped table may be there until its writer has taken it back.
    retried(Attempts, ())(Dataset.create(LocalStore, path, definition, Vector.empty))
    val empty = Dataset.open(LocalStore, path, Some(1))
    val first = (0 to random.nextInt(4)).map(_.toLong).toVector
    first.foreach(id => append(empty, Vector(rows.written(empty, Vector(id -> number.toLong)))))
    Thread.sleep(if (number % Kept == 0) 2000L + random.nextInt(4000) else 20L + random.nextInt(200))
    val seen = retried(Attempts, repeated.incrementAndGet())(look(number, first))
    // Writers may add files while the directory is deleted.
    retried(Attempts, ())(LocalStore.deleteTree(path))
    seen
  }

  /** Appends as soon as no version of another table is in the way. */
  @tailrec private def append(table: Dataset, files: Vector[WrittenFile]): Unit =
    Try(table.append(files)) match {
      case Success(_) => ()
      case Failure(_: RetryableCommitConflictException) => append(table, files)
      case Failure(e) => throw e
    }

  /** Reads the table. A version of another table may be seen until its writer has taken it back. */
  private def look(number: Int, first: Vector[Long]): Seen = {
    val dataset = Dataset.open(LocalStore, path)
    val rows = RowsOf(dataset)
    val clue = s"version ${dataset.version} of table $number"
    require(dataset.config(TableWriter.Number).toInt == number, s"$clue is of another table")
    require(rows.forall(_.value == number), s"$clue has rows of another table: $rows")
    require(first.forall(rows.map(_.id).toSet), s"$clue lacks some of the rows $first: $rows")
    Seen(number, dataset.version, rows.map(_.id))
  }

  @tailrec private def retried[A](left: Int, before: => Any)(body: => A): A = Try(body) match {
    case Success(result) => result
    case Failure(_) if left > 1 =>
      val _ = before
      Thread.sleep(20)
      retried(left - 1, before)(body)
    case Failure(e) => throw e
  }
}

private object Recreation {
  private val Attempts = 100

  /** Every fourth table lasts long enough for statements of Spark. */
  private val Kept = 4

  /** A table right before it was dropped. */
  final case class Seen(number: Int, version: Long, ids: Vector[Long])
}
