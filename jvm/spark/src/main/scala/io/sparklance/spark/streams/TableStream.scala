package io.sparklance.spark.streams

import java.util.{Map => JMap, Optional}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.connector.read.streaming.{
  MicroBatchStream,
  Offset,
  ReadLimit,
  ReportsSourceMetrics,
  SupportsTriggerAvailableNow
}

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.changes.{AppendedFragment, VersionLog, VersionStep, VersionTimes}
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.options.{StartingPoint, StreamOptions}
import io.sparklance.table.{VersionIdentity, Versions}

/** A stream of the versions of a table: a snapshot first, unless options give a start, and then what each
  * commit does. A batch is planned from the transactions of new versions.
  *
  * @param begun
  *   the table when the query started; the rows have its columns
  * @param kind
  *   what it reads
  */
abstract private[sparklance] class TableStream(begun: Dataset, options: StreamOptions, kind: StreamKind)
    extends MicroBatchStream
    with SupportsTriggerAvailableNow
    with ReportsSourceMetrics {
  private val clock = new BatchClock
  private val versions = new Versions(begun.store, begun.root)
  private var log = new VersionLog(begun)
  private var until = Option.empty[Long]
  private var seen = Option.empty[Long]
  private var initial = Option.empty[LanceOffset]

  /** Returns what a version adds to the stream, in the order of reading. */
  protected def units(step: VersionStep, log: VersionLog): Vector[StreamUnit]

  /** Plans a batch.
    *
    * @param snapshot
    *   the part of a snapshot that it reads
    * @param steps
    *   versions whose changes it reads
    * @param first
    *   number of units of the first of them to leave out
    * @param last
    *   number of units of the last of them to read, if not all
    */
  protected def plan(
      snapshot: Option[SnapshotPart],
      steps: Vector[VersionStep],
      first: Int,
      last: Option[Int],
      log: VersionLog
  ): Array[InputPartition]

  final override def initialOffset(): Offset = translating {
    val start = startingOffset.copy(kind = Some(kind))
    initial = Some(start.copy(origin = Some(start)))
    initial.getOrElse(start)
  }

  private def startingOffset: LanceOffset =
    options.start match {
      case None => LanceOffset(begun.version, Some(0), isSnapshot = true, identity(begun.version))
      case Some(StartingPoint.Latest) => after(latest)
      case Some(StartingPoint.Version(number)) =>
        if (number > latest + 1) throw beyond(s"version $number")
        after(number - 1)
      case Some(StartingPoint.Time(time)) =>
        refresh()
        val first = VersionTimes.firstFrom(log.dataset, time, options.failsOnLoss)
        after(first.getOrElse(throw beyond(time.toString)) - 1)
    }

  final override def deserializeOffset(json: String): Offset = translating(LanceOffset.parse(json))

  final override def getDefaultReadLimit: ReadLimit = Admission.limits(options.limits)

  final override def prepareForTriggerAvailableNow(): Unit = translating { until = Some(latest) }

  final override def latestOffset(): Offset =
    throw new UnsupportedOperationException("Spark asks for the latest offset with a start and a limit")

  final override def latestOffset(start: Offset, limit: ReadLimit): Offset = translating {
    val from = TableStream.own(start)
    val end = until.getOrElse(latest)
    if (until.nonEmpty) refresh()
    check(from, end)
    if (from.index.isEmpty && end == from.version) from
    else {
      val admission = Admission.of(limit)
      val walk = new StreamWalk(admission)
      val found = walk.from(from, end)(snapshotUnits, number => units(step(number), log), kept(from, end))
      val isWaiting = until.isEmpty && walk.sum.rows < admission.minRows &&
        clock.waits(admission.maxDelayMillis)
      if (isWaiting) from
      else {
        clock.begin()
        found.copy(
          kind = Some(kind),
          identity = if (found.version == from.version) from.identity else identity(found.version),
          origin = from.origin.filter(_ => initial.contains(from))
        )
      }
    }
  }

  /** Returns the end of the table as the trigger has seen it; only a metric shows it, so nothing is read. */
  final override def reportLatestOffset(): Offset =
    LanceOffset(seen.getOrElse(begun.version), None, isSnapshot = false, identity = "")

  final override def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] = translating {
    val to = TableStream.own(end)
    val from = to.origin.getOrElse(TableStream.own(start))
    refresh()
    check(from, to.version)
    val part = Option.when(from.isSnapshot && from.index.isDefined) {
      val whole = log.open(from.version)
      val isInside = to.isSnapshot && to.version == from.version
      SnapshotPart(
        whole,
        from.index.getOrElse(0),
        to.index.filter(_ => isInside).getOrElse(whole.fragments.size)
      )
    }
    val isWithin = !from.isSnapshot && from.index.isDefined
    val steps = kept(from, to.version).filter(_ => !(to.isSnapshot && to.version == from.version)).map(step)
    val all = if (isWithin) step(from.version) +: steps else steps
    plan(part, all, if (isWithin) from.index.getOrElse(0) else 0, to.index.filter(_ => !to.isSnapshot), log)
  }

  final override def commit(end: Offset): Unit = ()
  final override def stop(): Unit = ()

  final override def metrics(consumed: Optional[Offset]): JMap[String, String] = translating {
    val now = seen.getOrElse(latest)
    val behind = Option(consumed.orElse(null)).map(TableStream.own).map(offset => now - offset.version)
    (Map("latestVersion" -> now.toString) ++ behind.map(n => "versionsBehind" -> n.toString)).asJava
  }

  private def latest: Long = {
    refresh()
    log.dataset.version
  }

  /** Looks for new versions, and whether another table has taken this one's place: it may have as many. */
  private def refresh(): Unit = {
    val newest = versions.latest().getOrElse(throw gone)
    val known = VersionIdentity.of(log.dataset.manifest)
    if (newest.version != log.dataset.version || versions.identity(newest) != known) {
      val next = new VersionLog(Dataset.open(begun.store, begun.root))
      log = if (next.identity(log.dataset.version).contains(known.text)) next.knowing(log) else next
    }
    seen = Some(log.dataset.version)
  }

  private def step(version: Long): VersionStep = log.step(version)

  /** Returns the numbers of the versions after an offset. Fails if some were cleaned up, unless an option
    * allows that.
    */
  private def kept(from: LanceOffset, to: Long): Vector[Long] = {
    val all = (from.version + 1 to to).toVector
    val left = all.filter(log.has)
    if (left.size < all.size && options.failsOnLoss) throw lost(from, all.filterNot(log.has))
    left
  }

  private def after(version: Long): LanceOffset =
    LanceOffset(version, None, isSnapshot = false, identity(version))

  private def identity(version: Long): String = {
    refresh()
    log.identity(version).getOrElse("")
  }

  private def snapshotUnits(version: Long): Vector[StreamUnit] = log.open(version).fragments.map { fragment =>
    val whole = AppendedFragment(version, fragment)
    StreamUnit(1, whole.bytes, whole.rows)
  }

  /** Fails if an offset is of another table than the existing one, or of a query that reads something else.
    */
  private def check(offset: LanceOffset, end: Long): Unit = {
    offset.kind.filter(_ != kind).foreach(other => throw otherwise(other))
    val isOther = offset.identity.nonEmpty && log.identity(offset.version).exists(_ != offset.identity)
    if (isOther || end < offset.version) throw replaced(offset)
    if (offset.isSnapshot && offset.index.isDefined && !log.has(offset.version))
      throw lost(offset, Vector(offset.version))
  }

  private def beyond(what: String) = new LanceUsageException(
    s"The stream is to start at $what, but the latest version of the table at ${begun.root} is $latest. Start at a version up to " +
      s"${latest + 1}, or at 'latest'."
  )

  private def gone = new LanceUsageException(
    s"There is no table at ${begun.root} any more: it was dropped while a stream reads it. Start another query, with another checkpoint, once " +
      "there is one."
  )

  private def otherwise(other: StreamKind) = new LanceUsageException(
    s"The checkpoint is of a query that reads ${other.text} of the table at ${begun.root}, and this one reads ${kind.text}. Set option " +
      "readChangeFeed as it was, or start the query with another checkpoint."
  )

  private def replaced(offset: LanceOffset) = new LanceUsageException(
    s"The checkpoint is at version ${offset.version} of another table than the one at ${begun.root}: the table was dropped and created again, or " +
      "the checkpoint belongs to another query. Start the query with another checkpoint."
  )

  private def lost(offset: LanceOffset, versions: Vector[Long]) = {
    val cure =
      if (offset.isSnapshot && offset.index.isDefined) "Start another query with another checkpoint"
      else
        "Set option failOnDataLoss to false to go on with the versions that are left, or start another query with another checkpoint"
    new LanceUsageException(
      s"The stream is at version ${offset.version} of the table at ${begun.root}, but clean-up has removed version ${versions.head}, " +
        s"which it has not read. $cure; keep versions for longer."
    )
  }
}

private object TableStream {
  private def own(offset: Offset): LanceOffset = offset match {
    case lance: LanceOffset => lance
    case other => LanceOffset.parse(other.json())
  }
}

/** Fragments of a version that a snapshot reads: positions `[from, until)`. */
final private[sparklance] case class SnapshotPart(version: Dataset, from: Int, until: Int)

/** The time of the last batch. */
final private class BatchClock {
  private var last = System.nanoTime()

  def begin(): Unit = last = System.nanoTime()

  /** Whether the last batch is not longer ago than a delay. */
  def waits(delayMillis: Long): Boolean = System.nanoTime() - last < delayMillis * 1000000
}
