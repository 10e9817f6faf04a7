package io.sparklance.spark.options

import java.time.Instant

import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException
import io.sparklance.dataset.changes.{RangeEnd, RangeRequest}
import io.sparklance.spark.session.Session

/** Options of reads that name a range of versions. They belong to one read, so the session's defaults do not
  * count.
  */
private[sparklance] object RangeOptions {
  case object StartingVersion extends ReadOption[StartingPoint]("startingVersion", StartingPoint.parse)
  case object StartingTimestamp extends ReadOption[Instant]("startingTimestamp", Session.time)
  case object EndingVersion
      extends ReadOption[Long]("endingVersion", OptionText.positive(_, "a version of a table, 1 or higher"))
  case object EndingTimestamp extends ReadOption[Instant]("endingTimestamp", Session.time)
  case object ReadChangeFeed extends ReadOption[Boolean]("readChangeFeed", OptionText.truth)
      with Defaulted[Boolean] {
    val default = false
  }
  case object NetChanges extends ReadOption[Boolean]("netChanges", OptionText.truth) with Defaulted[Boolean] {
    val default = false
  }

  val all: Vector[ReadOption[_]] =
    Vector(StartingVersion, StartingTimestamp, EndingVersion, EndingTimestamp, ReadChangeFeed, NetChanges)

  /** Returns the range that options name, if they name one. */
  def of(settings: CaseInsensitiveStringMap): Option[RangeRead] = {
    val isFeed = ReadChangeFeed.of(settings)
    if (NetChanges.of(settings) && !isFeed) throw needs("netChanges", "readChangeFeed")
    val (from, to) = (start(settings), end(settings))
    if (to.isDefined && from.isEmpty) throw needs("endingVersion or endingTimestamp", "startingVersion")
    if (isFeed || from.isDefined) {
      refuseVersion(settings)
      val kind =
        if (!isFeed) RangeKind.Appended
        else if (NetChanges.of(settings)) netKind(settings)
        else RangeKind.Changes
      Some(RangeRead(from.flatMap(_.end).map(RangeRequest(_, to)), kind))
    } else None
  }

  /** The key with which `LanceDataset.delta` asks for all updated rows, as pylance returns them. */
  private val EqualStates = "__equal_states"

  private def netKind(settings: CaseInsensitiveStringMap): RangeKind =
    if (settings.containsKey(EqualStates)) RangeKind.NetUpdates else RangeKind.NetChanges

  private[options] def start(settings: CaseInsensitiveStringMap): Option[StartingPoint] =
    (StartingVersion.in(settings), StartingTimestamp.in(settings)) match {
      case (Some(_), Some(_)) => throw both("startingVersion", "startingTimestamp")
      case (version, time) => version.orElse(time.map(StartingPoint.Time(_)))
    }

  private def end(settings: CaseInsensitiveStringMap): Option[RangeEnd] =
    (EndingVersion.in(settings), EndingTimestamp.in(settings)) match {
      case (Some(_), Some(_)) => throw both("endingVersion", "endingTimestamp")
      case (version, time) => version.map(RangeEnd.Version(_)).orElse(time.map(RangeEnd.Time(_)))
    }

  private def refuseVersion(settings: CaseInsensitiveStringMap): Unit =
    Seq(
      "version",
      "tag",
      "asOfTimestamp",
      "metadataTable",
      "nearest",
      "fullTextQuery",
      "hybridSearch"
    ).find(settings.containsKey).foreach {
      name =>
        throw new LanceUsageException(
          s"Option '$name' does not go with options that read a range of versions. Leave it out; 'endingVersion' ends the range."
        )
    }

  private def needs(option: String, other: String) =
    new LanceUsageException(s"Option '$option' needs option '$other'. Give that, too, or leave both out.")

  private def both(a: String, b: String) =
    new LanceUsageException(s"Options '$a' and '$b' exclude each other. Give one of them.")
}

/** The start of a range or a stream. */
sealed private[sparklance] trait StartingPoint extends Product with Serializable {

  /** The start of a range; None if it is for streams only. */
  def end: Option[RangeEnd]
}

private[sparklance] object StartingPoint {
  final case class Version(number: Long) extends StartingPoint {
    def end: Option[RangeEnd] = Some(RangeEnd.Version(number))
  }
  final case class Time(time: Instant) extends StartingPoint {
    def end: Option[RangeEnd] = Some(RangeEnd.Time(time))
  }

  /** The versions that come after the start of the stream. */
  case object Latest extends StartingPoint {
    def end: Option[RangeEnd] = None
  }

  def parse(text: String): StartingPoint =
    if (text.equalsIgnoreCase("latest")) Latest
    else Version(OptionText.positive(text, "a version of a table, 1 or higher, or latest"))
}
