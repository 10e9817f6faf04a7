package io.sparklance.dataset.changes

import java.time.Instant
import java.time.temporal.ChronoUnit.MICROS

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset

/** Versions whose commits are read, both ends included. */
final private[sparklance] case class VersionRange(start: Long, end: Long) {
  override def toString: String = if (start == end) s"version $start" else s"versions $start to $end"
}

/** One end of a range, as a user gives it. */
sealed private[sparklance] trait RangeEnd extends Product with Serializable

private[sparklance] object RangeEnd {
  final case class Version(number: Long) extends RangeEnd

  /** At a start, the first version of that time or later; at an end, the last one of that time or before. */
  final case class Time(time: Instant) extends RangeEnd
}

/** A range of versions as a user gives it.
  *
  * @param end
  *   the version of the read if None
  */
final private[sparklance] case class RangeRequest(start: RangeEnd, end: Option[RangeEnd]) {

  /** Returns the versions of the range in the history of a dataset. A range without an end may start at the
    * next version, and is empty then: a reader that polls asks for what came after the last one that it
    * knows.
    *
    * @throws io.sparklance.LanceUsageException
    *   if the range is otherwise empty, or not within the history
    */
  def of(dataset: Dataset): VersionRange = {
    val first = start match {
      case RangeEnd.Version(number) => number
      case RangeEnd.Time(time) =>
        VersionTimes.firstFrom(dataset, time, isStrict = true).getOrElse(throw noneFrom(dataset, time))
    }
    val last = end.fold(dataset.version) {
      case RangeEnd.Version(number) => number
      case RangeEnd.Time(time) =>
        VersionTimes.lastUntil(dataset, time).getOrElse(throw noneUntil(dataset, time))
    }
    check(dataset, VersionRange(first, last))
  }

  private def check(dataset: Dataset, range: VersionRange): VersionRange = {
    if (range.end > dataset.version)
      throw new LanceUsageException(
        s"The range ends at version ${range.end}, but the table at ${dataset.root} is read at version ${dataset.version}. End at that " +
          "version or before."
      )
    val isNext = end.isEmpty && range.start == dataset.version + 1
    if (range.start > range.end && !isNext)
      throw new LanceUsageException(
        s"The range starts at version ${range.start}, which is after its end, version ${range.end}, of the table at " +
          s"${dataset.root}. Start at version ${range.end} or before."
      )
    range
  }

  private def noneFrom(dataset: Dataset, time: Instant) = new LanceUsageException(
    s"The range starts at $time, but the table at ${dataset.root} has no version of that time or later: version " +
      s"${dataset.version} is of ${dataset.timestamp}. Start at that time or before."
  )

  private def noneUntil(dataset: Dataset, time: Instant) = new LanceUsageException(
    s"The range ends at $time, but all versions that the table at ${dataset.root} still has are later. End at a later time."
  )
}

/** Finds versions by the times of their commits, which ascend. */
private[sparklance] object VersionTimes {

  /** Returns the first version of a time or later.
    *
    * @param isStrict
    *   whether to fail if versions between that time and the version may have been cleaned up
    */
  def firstFrom(dataset: Dataset, time: Instant, isStrict: Boolean): Option[Long] = {
    val log = new VersionLog(dataset)
    val start = time.truncatedTo(MICROS)
    val from = log.partitionPoint(_.truncatedTo(MICROS).isBefore(start))
    val found = log.numbers.lift(from)
    found.filter(_ => isStrict).foreach { version =>
      val isFirst = version == 1 || log.has(version - 1) || log.step(version).effect == CommitEffect.Began
      val begun = log.open(version).timestamp.truncatedTo(MICROS)
      if (!isFirst && begun.isAfter(start)) throw removedFrom(dataset, time, version, begun)
    }
    found
  }

  private def removedFrom(dataset: Dataset, time: Instant, version: Long, begun: Instant) =
    new LanceUsageException(
      s"The changes are to start at $time, but versions of the table at ${dataset.root} before version $version, which may be as late, " +
        s"were cleaned up. Start at version $version, of $begun, or set option failOnDataLoss of a stream to false."
    )

  /** Returns the last version of a time or before. */
  def lastUntil(dataset: Dataset, time: Instant): Option[Long] = {
    val log = new VersionLog(dataset)
    val until = log.partitionPoint(!_.truncatedTo(MICROS).isAfter(time))
    log.numbers.lift(until - 1)
  }
}
