package io.sparklance.soak

import scala.util.Random

import io.sparklance.CommitConflictException
import io.sparklance.data.RowRanges
import io.sparklance.dataset.compaction.{Compaction, CompactionOptions, GroupRewriter}
import io.sparklance.dataset.write.RewriteSettings
import io.sparklance.dataset.{Dataset, MovedRows, RowOperations}
import io.sparklance.io.LocalStore
import io.sparklance.table.WriteId

/** A worker of the soak: adds, changes and deletes rows of its own, counts up in rows of all, and compacts.
  * What it does is as tests/soak/worker.py has it for others.
  */
final private class Committer(path: String, race: Race, number: Int) {
  import Committer._

  private val random = new Random(number)
  private var own = Vector.empty[Long]
  private var used = 0L

  def run(): Unit = while (race.next()) {
    val kind = Kinds(random.nextInt(Kinds.size))
    val chosen = random.shuffle(own).take(Chosen)
    try attempt(if (chosen.isEmpty) "append" else kind, chosen)
    catch { case _: CommitConflictException => race.tell(Race.Lost, Nil) }
  }

  private def attempt(kind: String, chosen: Vector[Long]): Unit = {
    val table = Dataset.open(LocalStore, path)
    kind match {
      case "append" =>
        val fresh = Vector.tabulate(Fresh)(i => (number + 1) * Numbers + used + i)
        used += Fresh
        table.append(Vector(Rows(path).written(table, fresh.map(_ -> 0L))))
        own ++= fresh
        race.tell("append", fresh)
      case "delete" =>
        delete(table, chosen)
        own = own.diff(chosen)
        race.tell("delete", chosen)
      case "update" =>
        update(table, chosen)
        race.tell("update", chosen)
      case "count" =>
        val counters = random.shuffle(Counters).take(Chosen)
        update(table, counters)
        race.tell("update", counters)
      case _ => if (compact(table)) race.tell("compact", Nil)
    }
  }

  private def delete(table: Dataset, ids: Vector[Long]): Unit = {
    val addresses = found(table, ids).map(_.address).toArray
    val _ = table.commit(RowOperations.delete(table, RowRanges.ofRows(addresses), s"id in ($ids)"))
  }

  private def update(table: Dataset, ids: Vector[Long]): Unit = {
    val rows = found(table, ids)
    val file = Rows(path).written(table, rows.map(row => row.id -> (row.value + 1)))
    val kept = if (table.hasStableRowIds) rows.map(_.rowId).toArray else Array.emptyLongArray
    val addresses = RowRanges.ofRows(rows.map(_.address).toArray)
    val _ = table.commit(RowOperations.update(table, addresses, Vector(MovedRows(file, kept))))
  }

  /** Rows that nobody but us deletes are there. */
  private def found(table: Dataset, ids: Vector[Long]): Vector[Row] = {
    val wanted = ids.toSet
    val rows = RowsOf(table).filter(row => wanted(row.id))
    if (rows.map(_.id).toSet != wanted || rows.size != wanted.size)
      throw new IllegalStateException(s"wanted $ids of version ${table.version}, found $rows")
    rows
  }

  /** False if there was nothing to do. */
  private def compact(table: Dataset): Boolean = {
    val options = CompactionOptions(targetRowsPerFragment = TargetRows)
    val plan = Compaction.plan(table, options)
    val done = plan.groups.zip(Compaction.tasks(plan, options, WriteId.random())).map { case (group, task) =>
      group.into(new GroupRewriter(LocalStore, path, task, RewriteSettings(1 << 20), _ => ()).run())
    }
    if (done.nonEmpty) { val _ = Compaction.commit(table, done) }
    done.nonEmpty
  }
}

private object Committer {
  val Kinds: Vector[String] =
    Vector("append", "append", "delete", "update", "update", "count", "count", "compact")
  val Counters: Vector[Long] = (1L to 10L).toVector
  val Chosen = 3
  val Fresh = 5
  val TargetRows = 200L

  /** Number of ids of a worker. */
  val Numbers = 1000000L
}
