package io.sparklance.spark.session

import java.time.{Instant, LocalDate, LocalDateTime, OffsetDateTime, ZoneId}

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.SparkSession

import io.sparklance.LanceUsageException
import io.sparklance.dataset.scan.SplitTarget

/** Access to the driver's session. */
private[spark] object Session {

  private def active: SparkSession =
    SparkSession.getActiveSession.orElse(SparkSession.getDefaultSession).getOrElse(
      throw new LanceUsageException(
        "There is no Spark session: it was stopped, or this thread has none. Make one with " +
          "SparkSession.builder, and open the table with it."
      )
    )

  def settings: Map[String, String] = active.conf.getAll

  def caseSensitive: Boolean = active.conf.get("spark.sql.caseSensitive").toBoolean

  /** Parses a time, with a zone or in the session's time zone. */
  private[spark] def time(text: String): Instant = {
    val iso = text.replaceFirst("^(\\S+) +(?=\\d)", "$1T")
    val local = active.conf.get("spark.sql.session.timeZone")
    Seq[String => Instant](
      OffsetDateTime.parse(_).toInstant,
      LocalDateTime.parse(_).atZone(ZoneId.of(local)).toInstant,
      LocalDate.parse(_).atStartOfDay(ZoneId.of(local)).toInstant
    ).iterator.flatMap(parse => Try(parse(iso)).toOption).nextOption().getOrElse(
      throw new IllegalArgumentException(
        "it must be a time, such as 2026-11-22 06:00:00 or 2026-11-22T06:00:00Z"
      )
    )
  }

  /** Whether two names identify the same column. */
  def alike(a: String, b: String): Boolean = if (caseSensitive) a == b else a.equalsIgnoreCase(b)

  /** Whether tasks may run in two attempts at the same time. */
  def speculates: Boolean =
    active.sparkContext.getConf.getBoolean("spark.speculation", defaultValue = false)

  /** Whether the thread runs a streaming query with the continuous trigger, whose tasks do not end. */
  def isContinuous: Boolean =
    active.sparkContext.getLocalProperty("__is_continuous_processing") == "true"

  /** Whether columns can have type TIME. */
  def hasTimes: Boolean = active.conf.getOption("spark.sql.timeType.enabled").contains("true")

  /** The factor by which Spark expects bytes on disk to grow in memory. */
  def fileCompressionFactor: Double =
    active.conf.get("spark.sql.sources.fileCompressionFactor").toDouble

  /** Sizes by which Spark divides files into tasks. */
  def splitTarget: SplitTarget = {
    val session = active
    SplitTarget.Balanced(
      bytes(session.conf.get("spark.sql.files.maxPartitionBytes")),
      bytes(session.conf.get("spark.sql.files.openCostInBytes")),
      minSplits
    )
  }

  /** Whether Spark estimates the rows that pass filters (`spark.sql.cbo.enabled`). */
  def estimatesFilters: Boolean = active.conf.get("spark.sql.cbo.enabled").toBoolean

  /** Smallest number of tasks for a scan. */
  def minSplits: Int = {
    val session = active
    val asked = Seq("spark.sql.files.minPartitionNum", "spark.sql.leafNodeDefaultParallelism")
      .flatMap(session.conf.getOption)
      .headOption
    math.max(1, asked.fold(session.sparkContext.defaultParallelism)(_.toInt))
  }

  /** Parses a size in the notation of Spark's settings: `134217728`, `134217728b`, `128m`, `128MB`. */
  private[spark] def bytes(text: String): Long = text.trim.toLowerCase(java.util.Locale.ROOT) match {
    case Size(number, unit) =>
      val factor = 1L << 10 * Option(unit).fold(0)("kmgtp".indexOf(_) + 1)
      Math.multiplyExact(number.toLong, factor)
    case other => throw new NumberFormatException(s"'$other' is not a number of bytes")
  }

  private val Size = "(\\d+)\\s*(?:([kmgtp])b?|b)?".r

  /** Returns Hadoop's configuration as Spark's own sources see it: the session's settings over the context's.
    */
  def hadoopConf: Configuration = {
    val conf = new Configuration(active.sparkContext.hadoopConfiguration)
    settings.foreach { case (key, value) => if (value != null) conf.set(key, value) }
    conf
  }
}
