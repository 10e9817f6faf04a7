package io.sparklance.spark.isolation

import java.nio.file.{Files, Path}

import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration.DurationInt
import scala.concurrent.{Await, Future}
import scala.jdk.CollectionConverters._
import scala.util.{Random, Try}

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.compaction.CompactionOptions
import io.sparklance.dataset.write.{RewriteSettings, StatisticsKind}
import io.sparklance.io.LocalStore
import io.sparklance.spark.Ring
import io.sparklance.spark.maintenance.CompactionJob
import io.sparklance.spark.rowlevel.Gate
import io.sparklance.spark.session.{SerializableConf, TableLocation}
import io.sparklance.{IncompatibleCommitConflictException, RetryableCommitConflictException}

/** The tables of docs/isolation.md, pair by pair: one statement has read the table when another commits.
  *
  * The table has ids and values 0 to 9 in two files. Statements concern the row 3, or the row 8 of the other
  * file; those that add rows add one that a condition on 3 would match, or one for 8.
  */
final class IsolationPageSuite extends IsolationSuite {

  /** A statement on the table at a path; with a value, 3 or 8, of the rows that it concerns. */
  private val sqls: Seq[(String, (String, Int) => String)] = Seq(
    "INSERT" -> ((t, v) => s"INSERT INTO $t VALUES (${v}00, $v, 1)"),
    "INSERT … SELECT" -> ((t, v) => s"INSERT INTO $t SELECT id + ${99 * v}, v, w FROM $t WHERE v = $v"),
    "UPDATE" -> ((t, v) => s"UPDATE $t SET w = 1 WHERE v = $v"),
    "DELETE" -> ((t, v) => s"DELETE FROM $t WHERE v = $v"),
    "MERGE" ->
      ((t, v) =>
        s"MERGE INTO $t t USING (SELECT explode(array($v, ${v}00)) AS id, $v AS v, 7 AS w) s ON t.id = s.id " +
          "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
      ),
    "overwrite" -> ((t, v) => s"INSERT OVERWRITE $t VALUES ($v, $v, 5)"),
    "REPLACE WHERE" -> ((t, v) => s"INSERT INTO $t REPLACE WHERE v = $v VALUES (${v}00, $v, 4)"),
    "compact" -> ((t, _) => s"CALL lance.system.compact('$t')"),
    "add_columns" -> ((t, v) => s"CALL lance.system.add_columns(table => '$t', columns => map('x$v', '%s'))"),
    "update_columns" ->
      ((t, _) => s"CALL lance.system.update_columns(table => '$t', columns => map('w', '%s'))")
  )

  private lazy val template: Path = {
    val path = freshPath()
    sql(s"CREATE TABLE lance.`$path` (id INT, v INT, w INT) USING lance")
    Seq(0, 5).foreach(from =>
      sql(s"INSERT INTO lance.`$path` SELECT CAST(id AS INT), id, 0 FROM range($from, ${from + 5}, 1, 1)")
    )
    Path.of(path)
  }

  private def fresh(): String = {
    val path = Path.of(freshPath())
    val all = Files.walk(template)
    try
      all.iterator.asScala.foreach { from =>
        val _ = Files.copy(from, path.resolve(template.relativize(from).toString))
      }
    finally all.close()
    path.toString
  }

  private def statement(name: String, t: String, value: Int, expression: String): String =
    sqls.toMap.apply(name)(s"lance.`$t`", value).format(expression)

  /** Runs the statement with the other committed after it has read the table. */
  private def outcome(mine: String, theirs: String, value: Int): String = {
    val t = fresh()
    // Two columns of one name would exclude each other.
    val concerned = if (mine == theirs && mine == "add_columns") 8 else value
    def other(): Unit = { val _ = sql(statement(theirs, t, concerned, "8 * id")) }
    val result = mine match {
      case "compact" =>
        val read = Dataset.open(LocalStore, t)
        other()
        val location = TableLocation(t, SerializableConf.empty)
        Try(new CompactionJob(
          location,
          RewriteSettings(1L << 20, None, StatisticsKind.Zones)
        ).run(read, CompactionOptions()))
      case "add_columns" | "update_columns" =>
        val gate = Gate.closed()
        val _ = spark.udf.register("gated", (id: Int) => if (gate.pass(id.toLong)) id else 0)
        val running = Future(sql(statement(mine, t, 3, "gated(id)")))
        gate.reached.await()
        try other()
        finally gate.open.countDown()
        Try(Await.result(running, 100.seconds))
      case _ => during(statement(mine, t, 3, ""))(other())
    }
    causes(result).collectFirst {
      case _: RetryableCommitConflictException => "R"
      case _: IncompatibleCommitConflictException => "X"
    }.getOrElse { val _ = result.get; "ok" }
  }

  private val names = sqls.map(_._1)

  /** Outcomes of a level's table, by the second and the first statement: of all its rows. */
  private def outcomes(level: String): Map[(String, String), String] = {
    val rows = Files.readString(Path.of("docs/isolation.md")).linesIterator
      .dropWhile(!_.startsWith(s"With the level `$level`")).drop(2).takeWhile(_.startsWith("|")).drop(2)
      .map(_.split('|').map(_.trim).drop(1).padTo(4, "").map(_.split(", ").toSet).toVector).toVector
    assert((rows.flatMap(_.flatten).toSet - "").subsetOf(names.toSet))
    (for (row <- rows; second <- row.head; first <- names) yield {
      val named =
        row.tail.zip(Seq("X", "R", "rows")).collectFirst { case (firsts, word) if firsts(first) => word }
      (second, first) -> named.getOrElse("ok")
    }).toMap
  }

  private val random = new Random

  for (level <- Seq("serializable", "snapshot")) {
    val known = outcomes("serializable") ++ outcomes(level)
    for (mine <- names) test(s"$mine, $level") {
      assert(known.keySet == (for (second <- names; first <- names) yield (second, first)).toSet)
      withSetting("spark.datasource.lance.isolation", level) {
        for (theirs <- if (Ring.isFull) names else random.shuffle(names).take(1)) {
          val cell = known((mine, theirs))
          val (same, other) = cell match {
            case "rows" => ("R", "ok")
            case single => (single, single)
          }
          assert(outcome(mine, theirs, 3) == same, s"$mine after $theirs of the same rows")
          if (cell != "X" && cell != "ok")
            assert(outcome(mine, theirs, 8) == other, s"$mine after $theirs of other rows")
        }
      }
    }
  }
}
