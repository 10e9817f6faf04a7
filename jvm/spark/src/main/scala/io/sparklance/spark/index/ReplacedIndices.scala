package io.sparklance.spark.index

import scala.annotation.tailrec
import scala.util.control.NonFatal
import scala.util.{Failure, Success, Try}

import org.apache.spark.SparkThrowable
import org.slf4j.LoggerFactory

import io.sparklance.dataset.Dataset
import io.sparklance.index.build.IndexEntries
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.options.{CommitOptions, KeepIndices}
import io.sparklance.spark.session.TableLocation
import io.sparklance.table.commit.CommitOutcome
import io.sparklance.{CommitConflictException, IndicesMissingException, LanceUsageException}

/** The indices of a table whose rows are all replaced. */
private[spark] object ReplacedIndices {
  private val log = LoggerFactory.getLogger(getClass)

  /** Returns what follows the commit. Fails if the indices are to be built again, and one of them cannot be.
    *
    * @param columns
    *   of the new rows
    */
  def plan(
      location: TableLocation,
      replaced: Dataset,
      columns: LanceSchema,
      options: CommitOptions
  ): CommitOutcome => Unit = options.indices.keep match {
    case KeepIndices.Drop => warn(location, _)
    case KeepIndices.Rebuild =>
      if (options.uncommitted.isDefined) throw uncommitted
      val all = KeptIndex.all(replaced, columns)
      val reasons = all.collect { case (name, Left(why)) => s"'$name' ($why)" }
      if (reasons.nonEmpty) throw refused(location, reasons)
      val built = new Rebuild(location, all.collect { case (_, Right(index)) => index })
      built.after
  }

  /** Logs which indices a commit dropped. */
  def warn(location: TableLocation, outcome: CommitOutcome): Unit = {
    val dropped = droppedBy(outcome)
    if (dropped.nonEmpty) log.warn(
      s"version ${outcome.version} of $location replaced all rows and dropped the indices ${dropped.mkString(", ")}; " +
        "build them again with CREATE INDEX, or write with the option keepIndices = rebuild"
    )
  }

  def droppedBy(outcome: CommitOutcome): Vector[String] = outcome match {
    case CommitOutcome.Committed(_, _, dropped) => dropped
    case CommitOutcome.Repeated(_) => Vector.empty
  }

  private def refused(location: TableLocation, reasons: Vector[String]) = new LanceUsageException(
    s"Option 'keepIndices' is 'rebuild', but indices of the table at $location cannot be built again after this write: " +
      s"${reasons.mkString(", ")}. Nothing was written. Drop these indices, keep their columns as they were, or leave the " +
      "option out: then all indices are dropped."
  )

  private def uncommitted = new LanceUsageException(
    "Option 'keepIndices' = 'rebuild' builds indices after the commit, but option 'uncommitted' commits nothing. Leave " +
      "one of them out."
  )
}

/** Builds indices again after the commit that dropped them. Others may have changed the table meanwhile. */
final private class Rebuild(location: TableLocation, planned: Vector[KeptIndex]) {
  import Rebuild._

  def after(outcome: CommitOutcome): Unit = {
    val dropped = ReplacedIndices.droppedBy(outcome)
    // Others may have dropped a planned index before the commit, or made one.
    val known = planned.filter(index => dropped.contains(index.name))
    val late = dropped.filterNot(name => planned.exists(_.name == name))
    val all = known.map(Right(_)) ++ madeMeanwhile(outcome.version, late)
    val missing = missingOf(all, Vector.empty)
    if (missing.nonEmpty) throw failure(outcome.version, missing)
  }

  /** Returns indices that only the version before the commit has. */
  private def madeMeanwhile(version: Long, names: Vector[String]): Vector[Either[Missing, KeptIndex]] =
    if (names.isEmpty) Vector.empty
    else {
      val found = Try {
        val before = Dataset.open(location.store, location.root, Some(version - 1))
        KeptIndex.all(before, open.schema).toMap
      }
      names.map { name =>
        found.fold(
          e => Left(Missing(name, e.getMessage, None)),
          _.getOrElse(name, Left("it is not in the version before")).left.map(Missing(name, _, None))
        )
      }
    }

  /** Builds indices one after the other, and returns those that could not be built. After a cancellation, no
    * further one is tried.
    */
  @tailrec
  private def missingOf(
      indices: Vector[Either[Missing, KeptIndex]],
      missing: Vector[Missing]
  ): Vector[Missing] = indices match {
    case Left(reason) +: rest => missingOf(rest, missing :+ reason)
    case Right(index) +: rest => tried(index, Attempts) match {
        case None => missingOf(rest, missing)
        case Some(cause) if isCancellation(cause) =>
          val others = rest.map(_.fold(identity, next => Missing(next, "not tried", None)))
          missing ++ (Missing(index, text(cause), Some(cause)) +: others)
        case Some(cause) => missingOf(rest, missing :+ Missing(index, text(cause), Some(cause)))
      }
    case _ => missing
  }

  @tailrec
  private def tried(index: KeptIndex, attempts: Int): Option[Throwable] =
    (try Success(build(index))
    catch {
      case e: InterruptedException =>
        Thread.currentThread().interrupt()
        Failure(e)
      case NonFatal(e) => Failure(e)
    }) match {
      case Success(()) => None
      case Failure(_: CommitConflictException) if attempts > 1 => tried(index, attempts - 1)
      case Failure(cause) => Some(cause)
    }

  /** Leaves an index alone that somebody else has built meanwhile. */
  private def build(index: KeptIndex): Unit = {
    val dataset = open
    if (!IndexEntries.of(dataset).exists(_.index == index.name)) {
      val column = index.columnIn(dataset.schema).fold(why => throw new LanceUsageException(why), identity)
      val fragments = dataset.fragments.map(_.id).toSet
      val work = new IndexWork(location, dataset, column, index.recipe.numbers, fragments)
      val _ = new IndexBuild(location).run(index.name, "CREATE INDEX", index.recipe, work, Vector.empty)
    }
  }

  private def open: Dataset = Dataset.open(location.store, location.root)

  private def failure(version: Long, missing: Vector[Missing]) = {
    val reasons = missing.map(each => s"'${each.name}' (${each.why})").mkString(", ")
    val table = s"lance.`${location.uri}`"
    val statements = missing.flatMap(_.index).map(_.statement(table))
    val cure =
      if (statements.isEmpty) "Build them with CREATE INDEX."
      else s"Build them: ${statements.mkString("; ")}."
    new IndicesMissingException(
      s"The rows are committed as version $version of the table at $location, but indices could not be built again: $reasons. $cure",
      missing.flatMap(_.cause).headOption.orNull
    )
  }
}

private object Rebuild {
  final private val Attempts = 3

  /** An index that was not built. */
  final case class Missing(
      name: String,
      why: String,
      cause: Option[Throwable],
      index: Option[KeptIndex] = None
  )

  object Missing {
    def apply(index: KeptIndex, why: String, cause: Option[Throwable]): Missing =
      Missing(index.name, why, cause, Some(index))
  }

  /** The first sentence, without the period. */
  private def text(cause: Throwable): String = {
    val message = Option(cause.getMessage).filter(_.nonEmpty).getOrElse(cause.getClass.getSimpleName)
    message.linesIterator.next().stripSuffix(".")
  }

  private def isCancellation(cause: Throwable): Boolean = cause match {
    case _: InterruptedException => true
    case known: SparkThrowable => Option(known.getCondition).exists(_.startsWith("SPARK_JOB_CANCELLED"))
    case _ => false
  }
}
