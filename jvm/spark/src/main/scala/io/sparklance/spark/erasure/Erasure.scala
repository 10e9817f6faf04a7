package io.sparklance.spark.erasure

import scala.annotation.tailrec
import scala.util.Try

import org.apache.spark.sql.SparkSession

import io.sparklance.ErasureIncompleteException
import io.sparklance.dataset.erasure.{FragmentState, OrphanFiles, TableHistory}
import io.sparklance.spark.session.{Counted, JobDescription, TableLocation}

/** A request to erase rows.
  *
  * @param deletesUnverified
  *   whether files that no version refers to are removed even if they may belong to a running write
  * @param clones
  *   roots of tables that may be clones, besides those beside the table
  */
final private[spark] case class ErasureRequest(
    condition: ErasureCondition,
    deletesUnverified: Boolean = false,
    clones: Vector[String] = Vector.empty
)

/** Erases rows from a table and its files: deletes them, writes all fragments again that have or had them,
  * builds their indices again, removes the versions that hold them, and then looks at everything again. Each
  * step can be repeated, so a call continues what an interrupted one has left.
  */
final private[spark] class Erasure(location: TableLocation, request: ErasureRequest) {
  import Erasure._

  private val store = location.store
  private val steps = new ErasureSteps(location, request.condition)

  /** Returns what a call would do, and what would remain. */
  def plan(): Vector[Finding] = described {
    steps.check()
    val survey = this.survey()
    val found = removable(survey)
    planned(survey, found) ++ shared(survey) ++ found.remaining ++ outside(survey) :+ summary(survey)
  }

  /** Erases the rows. Returns what was done.
    *
    * @throws io.sparklance.ErasureIncompleteException
    *   if something still holds them
    */
  def run(): Vector[Finding] = described {
    steps.check()
    val first = survey()
    val (done, last) = rounds(first, Vector.empty, MostRounds)
    val left = removable(last)
    val remaining = planned(last, left).map(_.copy(remains = true)) ++ left.remaining ++ outside(first)
    if (remaining.nonEmpty) throw incomplete(remaining)
    done ++ shared(first) :+ summary(last)
  }

  /** Erases until a survey finds nothing that can be erased: others may add rows meanwhile. */
  @tailrec
  private def rounds(survey: Survey, done: Vector[Finding], left: Int): (Vector[Finding], Survey) = {
    val found = removable(survey)
    val todo = planned(survey, found)
    if (todo.isEmpty || left == 0) (done, survey)
    else {
      erase(survey, found)
      rounds(this.survey(Some(survey.looked)), done ++ todo, left - 1)
    }
  }

  private def removable(survey: Survey): Removable =
    new Removable(survey, request.deletesUnverified, steps.unbuildable)

  /** Versions go last: without them, a later call would not know what the other places hold. */
  private def erase(survey: Survey, removable: Removable): Unit = {
    steps.delete()
    steps.rewrite(survey.holders)
    steps.rebuild(removable.indices)
    steps.forget(removable.statistics)
    removable.orphans.foreach(OrphanFiles.remove(store, _))
    (removable.strays ++ removable.notes.map(_.path)).foreach(store.delete)
    if (removable.holding.exists(_._1.number == steps.latest.version)) steps.succeed()
    // Versions of the steps above may hold the rows, too.
    val now = survey.copy(own = TableHistory.own(steps.latest))
    val after = this.removable(now)
    steps.removeVersions(after.versions.map(_._1.number).toSet, after.spared)
  }

  /** Lists what a call does. */
  private def planned(survey: Survey, removable: Removable): Vector[Finding] = {
    val rows = if (survey.looked.rows.isEmpty) 0L else steps.count()
    val deleted =
      Option.when(rows > 0)(Finding.done("rows", location.uri, s"${Counted(rows, "row")} deleted"))
    val fragments = removable.fragments.toVector.sorted.map { id =>
      Finding.done("fragment", id, s"${Counted(rowsOf(survey, id), "row")} in its files; written again")
    }
    deleted.toVector ++ fragments ++
      removable.indices.toVector.sorted.map(Finding.done("index", _, "built again")) ++
      removable.statistics.map(Finding.done("statistics", _, "bounds of columns; removed")) ++
      removable.versions.map { case (version, reason) =>
        Finding.done("version", version.number, s"$reason; removed")
      } ++
      removable.notes.map(note => Finding.done("job", note.path, "record of a backfill; removed")) ++
      removable.orphans.map(file => Finding.done("orphan", file.path, "no version refers to it; removed")) ++
      removable.strays.map(Finding.done("orphan", _, "no version refers to it; removed"))
  }

  private def rowsOf(survey: Survey, id: Long): Long = survey.looked.rows.collect {
    case (state: FragmentState, rows) if state.fragment.id == id => rows
  }.maxOption.getOrElse(0L)

  /** Lists files outside of the table that hold erased rows, and still exist. */
  private def outside(survey: Survey): Vector[Finding] = {
    val main = TableHistory.main(survey.own.dataset) + "/"
    val files = survey.own.versions.flatMap(_.states).flatMap(_.files).distinct
    val bases = files.filter(file => survey.holders(FragmentState.name(file)) && !file.startsWith(main))
    bases.filter(exists).map(Finding.remains("base", _, InOtherPlace)) ++
      survey.looked.external.toVector.sorted.filter(exists).map(uri =>
        Finding.remains("external blob", uri, "outside of the table; remove it if no other row refers to it")
      )
  }

  /** Lists files outside of the table that erased rows referred to, and that rows that stay need. */
  private def shared(survey: Survey): Vector[Finding] = survey.looked.shared.toVector.sorted.map(uri =>
    Finding.done("shared blob", uri, "outside of the table; rows that stay refer to it, too")
  )

  /** Whether a file exists. What cannot be looked up counts as existing. */
  private def exists(path: String): Boolean =
    Try(location.copy(root = path).store.exists(path)).getOrElse(true)

  private def survey(before: Option[Looked] = None): Survey =
    Survey.of(location, request.condition, request.clones, before)

  private def summary(survey: Survey): Finding = {
    val versions = survey.histories.map(_.versions.size).sum
    val tables = survey.others.size + 1
    val files = survey.histories.flatMap(_.files).distinct.size
    Finding.done(
      "searched",
      location.uri,
      s"versions: $versions, branches and clones included: $tables, data files: $files, orphans: ${survey.files.orphans.size}, " +
        s"other files: ${survey.files.searched}, values of erased rows: ${survey.looked.contents.texts.size}"
    )
  }

  private def incomplete(remaining: Vector[Finding]): ErasureIncompleteException = {
    val shown = remaining.take(MostShown).map(_.text).mkString("; ")
    val others = if (remaining.size > MostShown) s"; and ${remaining.size - MostShown} others" else ""
    new ErasureIncompleteException(
      s"Rows of the table at $location are deleted, but remaining = ${remaining.size}: $shown$others still hold them. " +
        "Do as it says for each, and call erase again; dry_run => true lists all."
    )
  }

  private def described[A](body: => A): A =
    JobDescription.during(SparkSession.active.sparkContext, s"lance $location, erase rows")(body)
}

private object Erasure {
  final private val MostRounds = 3
  final private val MostShown = 20

  final private val InOtherPlace =
    "in another place that the table refers to; erase the rows there, or remove it if no other table has it"
}
