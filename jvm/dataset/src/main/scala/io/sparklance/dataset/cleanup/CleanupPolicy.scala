package io.sparklance.dataset.cleanup

import java.time.{Duration, Instant}

import scala.util.Try

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
  * @param before
  *   time before which versions were committed
  * @param beforeVersion
  *   number below which versions are
  */
final private[sparklance] case class CleanupPolicy(
    olderThan: Option[Duration] = None,
    retainVersions: Option[Long] = None,
    versions: Option[Set[Long]] = None,
    deleteUnverified: Boolean = false,
    errorIfTagged: Boolean = true,
    before: Option[Instant] = None,
    beforeVersion: Option[Long] = None
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
    val times = olderThan.map(now.minus(_)).toVector ++ before
    val firstRetained = retainVersions.filter(_ < all.size).map(n => all(all.size - n.toInt))
    val someGo = retainVersions.isEmpty || firstRetained.isDefined
    (version, time) =>
      someGo && times.forall(time.isBefore) && (firstRetained ++ beforeVersion).forall(version < _) &&
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

/** Durations in the form that pylance writes in a table's config: numbers with units, one after the other,
  * with or without spaces between them. A month has 30.44 days, a year 365.25.
  */
private[cleanup] object Durations {
  private val term = """\s*(\d+)\s*([a-zA-Z]+)\s*""".r

  private val units: Map[String, Duration] = Seq(
    Seq("nsec", "ns", "nanos") -> Duration.ofNanos(1),
    Seq("usec", "us", "micros") -> Duration.ofNanos(1000),
    Seq("msec", "ms", "millis") -> Duration.ofMillis(1),
    Seq("seconds", "second", "secs", "sec", "s") -> Duration.ofSeconds(1),
    Seq("minutes", "minute", "mins", "min", "m") -> Duration.ofMinutes(1),
    Seq("hours", "hour", "hrs", "hr", "h") -> Duration.ofHours(1),
    Seq("days", "day", "d") -> Duration.ofDays(1),
    Seq("weeks", "week", "wks", "wk", "w") -> Duration.ofDays(7),
    Seq("months", "month", "M") -> Duration.ofSeconds(2630016),
    Seq("years", "year", "yrs", "yr", "y") -> Duration.ofSeconds(31557600)
  ).flatMap { case (names, unit) => names.map(_ -> unit) }.toMap

  /** Returns None for an invalid duration. */
  def parse(text: String): Option[Duration] = {
    val terms = term.findAllMatchIn(text).toVector
    val isWhole = terms.nonEmpty && terms.map(_.matched).mkString == text
    if (text.trim == "0") Some(Duration.ZERO)
    else if (!isWhole || !terms.forall(t => units.contains(t.group(2)))) None
    else
      Try {
        terms.foldLeft(Duration.ZERO)((sum, t) => sum.plus(units(t.group(2)).multipliedBy(t.group(1).toLong)))
      }.toOption
  }
}
