package io.sparklance.dataset.cleanup

import java.time.{Duration, Instant}

import io.sparklance.LanceUsageException

/** Which versions are to go: those that all of these conditions are true of. The latest never goes, nor does one that a tag
  * names or that a branch begins with.
  *
  * @param olderThan how long ago they were made, at least
  * @param retainVersions not one of so many last ones
  * @param versions one of these
  * @param deleteUnverified whether files of which no version ever spoke go even if they may belong to a write that is under way:
  *   otherwise only those that are seven days old
  * @param errorIfTagged whether a tag on a version that would go is an error
  */
final case class CleanupPolicy(
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
      s"Clean-up was to remove versions that are older than $age. Give a duration of 0 or more."
    )
  }
  versions.filter(_.isEmpty).foreach { _ =>
    throw new LanceUsageException(
      "Clean-up was given an empty list of versions. Name some, or leave the list out."
    )
  }

  /** Tells whether a version, of which the time is known, would go.
    *
    * @param all the numbers of all versions, ascending
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

object CleanupPolicy {

  /** If nobody says which versions are to go. */
  val default: CleanupPolicy = CleanupPolicy(olderThan = Some(Duration.ofDays(14)))

  /** How old versions are that go, as people write it and as a table's config has it. */
  def age(text: String): Duration = Durations.parse(text).getOrElse(
    throw new LanceUsageException(
      s"'$text' is no age of versions. Write numbers with units: 14 days, 12h 30m."
    )
  )
}
