package io.sparklance.spark.rowlevel

import java.util.concurrent.CountDownLatch

import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration.DurationInt
import scala.concurrent.{Await, Future}
import scala.util.Try

import org.apache.spark.sql.Row

import io.sparklance.CommitConflictException
import io.sparklance.dataset.Dataset
import io.sparklance.spark.Ring

/** Statements that change rows while others do: what the latter have committed when the former come to their
  * end.
  */
final class InterleavedSuite extends RowLevelSuite {

  private val update = "UPDATE %s SET name = 'mine' WHERE id IN (13, 27) AND gated(id)"
  private val delete = "DELETE FROM %s WHERE id IN (13, 27) AND gated(id)"
  private val merge =
    "MERGE INTO %s t USING (SELECT explode(array(13L, 27L, 500L)) AS id) s ON t.id = s.id AND gated(t.id) " +
      "WHEN MATCHED THEN UPDATE SET name = 'mine' WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, 'mine')"

  /** Runs `statement` with `other` committed while its tasks run. */
  private def during(t: String, statement: Statement)(other: => Any): Try[Any] = {
    val gate = Gate.closed()
    val _ = spark.udf.register("gated", (id: Long) => gate.pass(id))
    val running = withSetting("spark.datasource.lance.updateMode", statement.mode) {
      val begun = Future(sql(statement.text.format(t)))
      gate.reached.await()
      begun
    }
    try { val _ = other }
    finally gate.open.countDown()
    Try(Await.result(running, 100.seconds))
  }

  /** All files of the table are of one of its versions. */
  private def nothingIsLeft(t: String): Any = eventually {
    val now = dataset(t)
    val kept = (1L to now.version).flatMap { v =>
      Dataset.open(now.store, now.root, Some(v)).fragments.flatMap(_.files).map(_.path)
    }
    assert(dataFiles(root(t)).map(_.split('/').last).toSet == kept.toSet)
  }

  private def mine(t: String): Seq[Long] = names(t).collect { case (id, Some("mine")) => id }.toSeq.sorted

  /** @param mode how it writes changed rows */
  private case class Statement(text: String, mode: String = "rows")

  private val statements = Seq(update, delete, merge)
  import Ring.isFull

  private def tables(first: String): Seq[String] = if (isFull) Seq("true", "false") else Seq(first)

  /** Each of the others with one of our statements; in a full run with all. */
  private def pairs(others: Seq[String => Any]): Seq[(Int, String => Any, Statement)] = {
    val rows = for {
      (other, i) <- others.zipWithIndex
      (statement, j) <- statements.zipWithIndex
      if isFull || i % 3 == j
    } yield (i, other, Statement(statement))
    val columns = for {
      (other, i) <- others.zipWithIndex
      (statement, j) <- Seq(update, merge).zipWithIndex
      if isFull || i % 2 == j
    } yield (i, other, Statement(statement, "columns"))
    rows ++ columns
  }

  private def only[A](condition: Boolean)(some: A*): Set[A] = if (condition) some.toSet else Set.empty

  for (stable <- tables("true"))
    test(s"concurrent additions, deletions and changes stay, stable ids $stable") {
      val others: Seq[String => Any] = Seq(
        t => sql(s"INSERT INTO $t VALUES (100, 'theirs')"),
        t => sql(s"DELETE FROM $t WHERE id = 12 OR id = 99"),
        t => sql(s"UPDATE $t SET name = 'theirs' WHERE id IN (10, 26)"),
        t => sql(s"MERGE INTO $t t USING (SELECT 28L AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE")
      )
      for ((i, other, statement) <- pairs(others)) withNumbers(Map("enableStableRowIds" -> stable)) { t =>
        val before = lineageIf(stable == "true")(t)
        assert(during(t, statement)(other(t)).isSuccess, s"$statement over $i")
        assert(dataset(t).version == 3)
        val gone = only(i == 1)(12L, 99L) ++ only(i == 3)(28L) ++ only(statement.text == delete)(13L, 27L)
        val added = only(i == 0)(100L) ++ only(statement.text == merge)(500L)
        assert(ids(t).toSet == ((0L until 100L).toSet -- gone) ++ added)
        assert(mine(t).toSet ==
          only(statement.text != delete)(13L, 27L) ++ only(statement.text == merge)(500L))
        val after = lineageIf(before.nonEmpty)(t)
        before.foreach { case (id, (rowId, _, _)) => after.get(id).foreach(now => assert(now._1 == rowId)) }
        nothingIsLeft(t)
      }
    }

  private def lineageIf(stable: Boolean)(t: String): Map[Long, (Long, Long, Long)] =
    if (stable) lineage(t) else Map.empty

  for (stable <- tables("false"))
    test(s"rows that others have changed meanwhile are not changed, stable ids $stable") {
      val others: Seq[String => Any] = Seq(
        t => sql(s"DELETE FROM $t WHERE id = 13"),
        t => sql(s"UPDATE $t SET name = 'theirs' WHERE id = 27"),
        t => sql(s"CALL lance.system.compact('$t')"),
        t => sql(s"CALL lance.system.update_columns('$t', map('name', \"'theirs'\"), 'id IN (11, 25)')"),
        t => sql(s"INSERT OVERWRITE $t VALUES (1, 'all')"),
        t => sql(s"DELETE FROM $t WHERE _fragid = 1")
      )
      for ((_, other, statement) <- pairs(others)) withNumbers(Map("enableStableRowIds" -> stable)) { t =>
        var after = Set.empty[Row]
        val lost = during(t, statement) {
          other(t)
          after = rows(sql(s"SELECT * FROM $t"))
        }
        val causes =
          lost.failed.toOption.iterator.flatMap(Iterator.iterate(_)(_.getCause).takeWhile(_ != null))
        assert(causes.exists(_.isInstanceOf[CommitConflictException]), s"$statement: $lost")
        assert(rows(sql(s"SELECT * FROM $t")) == after)
        nothingIsLeft(t)
      }
    }
}

/** Point at which a statement waits until others are done. */
final class Gate {
  val reached = new CountDownLatch(1)
  val open = new CountDownLatch(1)
}

object Gate {
  @volatile private var current = new Gate

  def closed(): Passage = {
    current = new Gate
    Passage(current.reached, current.open)
  }

  def here: Gate = current
}

/** Latches of the driver; tasks use [[Gate.here]], because latches are not serializable. */
final case class Passage(@transient reached: CountDownLatch, @transient open: CountDownLatch) {
  def pass(id: Long): Boolean = {
    Gate.here.reached.countDown()
    Gate.here.open.await()
    id >= 0
  }
}
