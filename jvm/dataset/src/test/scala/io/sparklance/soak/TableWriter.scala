package io.sparklance.soak

import java.io.IOException

import scala.util.Random
import scala.util.control.NonFatal

import io.sparklance.dataset.Dataset
import io.sparklance.io.LocalStore
import io.sparklance.{
  CommitConflictException,
  CommitStateUnknownException,
  LanceFormatException,
  LanceTableNotFoundException
}

/** Appends to, deletes from and updates a table that others drop and create again at any time. */
final private class TableWriter(path: String, changes: TableChanges, random: Random) {
  import TableWriter._

  private val rows = Rows(path)
  private var refusals = 0

  /** Number of changes that were refused because the table was another one by then. */
  def replaced: Int = refusals

  def step(): Unit = {
    try attempt()
    catch {
      case NonFatal(e) if isExpected(e) =>
        if (e.getMessage != null && e.getMessage.contains("of a table that was dropped")) refusals += 1
    }
    Thread.sleep(random.nextInt(5).toLong)
  }

  private def attempt(): Unit = {
    val table = Dataset.open(LocalStore, path)
    val number = table.config(Number).toInt
    val own = RowsOf(table).filter(row => TableChanges.isOurs(row.id))
    Thread.sleep(random.nextInt(60).toLong)
    val chosen = random.shuffle(own).take(2)
    val kind = if (chosen.isEmpty) 0 else random.nextInt(3)
    val change = kind match {
      case 0 => Change(number, added = Vector.fill(3)(changes.nextId()))
      case 1 => Change(number, removed = chosen.map(_.id))
      case _ => Change(number)
    }
    changes.record(change) {
      val committed = kind match {
        case 0 => table.append(Vector(rows.written(table, change.added.map(_ -> number.toLong))))
        case 1 => rows.delete(table, chosen)
        case _ => rows.update(table, chosen)
      }
      require(committed.config(Number).toInt == number, s"a change of table $number is in another table")
      committed.version
    }
  }
}

private object TableWriter {

  /** The key of a table's number in its config. */
  val Number = "soak.table"

  /** Errors of a writer whose table is dropped. */
  private def isExpected(e: Throwable): Boolean = e match {
    case _: CommitConflictException | _: LanceTableNotFoundException | _: CommitStateUnknownException => true
    case e: LanceFormatException => e.getMessage.contains("or the whole table")
    case _: IOException => true
    case _ => false
  }
}
