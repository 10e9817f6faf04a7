package io.sparklance.dataset.cleanup

import java.time.{Duration, Instant}

import io.sparklance.LanceUsageException

/** Selects the versions to remove: those that satisfy all given conditions. The latest version, tagged
  * versions, and versions at which a branch begins always stay.
  *
  * @param olderThan
  *   minimum age
  * @param retainVersions
  *   number of last versions to keep
  * @param versions
  *   candidates
  * @param deleteUnverified
  *   whether to remove files that no version ever referred to even if they may belong to a running write;
  *   otherwise only those that are seven days old
  * @param errorIfTagged
  *   whether a tag on a version that would go is an error
  */
final private[sparklance] case class CleanupPolicy(
    olderThan: Option[Duration] = None,
    retainVersions: Option[Long] = None,
    versions: Option[Set[Long]] = None,
    deleteUnverified: Boolean = false,
    errorIfTagged: Boolean = true
) {
  retainVersions.filter(_ < 1).foreach { n =>
    throw new LanceUsageException(
      s"Clean-up was to retain $n versions, but the latest one always stays. Retain 1 or more."
    )
  }
  olderThan.filter(_.isNegative).foreach { age =>
    throw new LanceUsageException(
      s"Clean-up was to remove versions older than $age, which is negative. Give a duration of 0 or more."
    )
  }
  versions.filter(_.isEmpty).foreach { _ =>
    throw new LanceUsageException(
      "Clean-up was given an empty list of versions. Name some, or leave the list out."
    )
  }

  /** Returns a test of versions, by number and time of commit.
    *
    * @param all
    *   the numbers of all versions, ascending
    */
  private[cleanup] def expires(all: Vector[Long], now: Instant): (Long, Instant) => Boolean = {
    val before = olderThan.map(now.minus(_))
    val firstRetained = retainVersions.filter(_ < all.size).map(n => all(all.size - n.toInt))
    val someGo = retainVersions.isEmpty || firstRetained.isDefined
    (version, time) =>
      someGo && before.forall(time.isBefore) && firstRetained.forall(version < _) &&
        versions.forall(_.contains(version))
  }
}

private[sparklance] object CleanupPolicy {

  /** Policy without any condition. */
  val default: CleanupPolicy = CleanupPolicy(olderThan = Some(Duration.ofDays(14)))

  /** Parses an age in the form of arguments and table config. */
  def age(text: String): Duration = Durations.parse(text).getOrElse(
    throw new LanceUsageException(
      s"'$text' is not an age of versions. Write numbers with units: 14 days, 12h 30m."
    )
  )
}
