package io.sparklance.spark.search

import org.apache.spark.sql.SparkSession

import io.sparklance.dataset.nearest.{NearestReader, SplitAnswers}
import io.sparklance.dataset.scan.{Split, SplitTarget}
import io.sparklance.spark.session.{OwnJob, TableLocation}
import io.sparklance.vector.NearestSpec

/** The place in which an exact search runs. */
sealed private[search] trait SearchPlace {

  /** Size of the parts that are searched side by side. */
  def target: SplitTarget

  /** Returns the answers of splits, and the number of tasks that it took.
    *
    * @param bytes
    *   of vectors to compare
    */
  def answers(splits: Vector[Split], task: SearchTask, bytes: Double): (Vector[SplitAnswers], Int)
}

private[search] object SearchPlace {

  /** Bytes of vectors below which a job takes longer than the search. */
  final private val FewBytes = 4L << 20

  /** One part. */
  val Whole: SplitTarget = SplitTarget.Rows(1L << 40)

  /** The tasks of a job, or the driver if there is little to compare. */
  final case class Job(target: SplitTarget, description: String) extends SearchPlace {
    def answers(splits: Vector[Split], task: SearchTask, bytes: Double): (Vector[SplitAnswers], Int) =
      if (bytes <= FewBytes.toDouble || splits.isEmpty) (Split.joined(splits).map(task.answer), 0)
      else (OwnJob.run(SparkSession.active.sparkContext, description, task, splits)(_.answer(_)), splits.size)
  }

  /** The task that searches. */
  case object Here extends SearchPlace {
    def target: SplitTarget = Whole
    def answers(splits: Vector[Split], task: SearchTask, bytes: Double): (Vector[SplitAnswers], Int) =
      (splits.map(task.answer), 0)
  }
}

/** Everything that a task needs to search a split. */
final private[search] case class SearchTask(
    location: TableLocation,
    spec: NearestSpec,
    test: SearchTest
) {
  def answer(split: Split): SplitAnswers =
    NearestReader.answer(location.store, split, spec, test.open, () => OwnJob.endIfKilled())
}
