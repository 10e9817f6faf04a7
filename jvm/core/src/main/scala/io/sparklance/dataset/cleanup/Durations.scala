package io.sparklance.dataset.cleanup

import java.time.Duration

import scala.util.Try

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
