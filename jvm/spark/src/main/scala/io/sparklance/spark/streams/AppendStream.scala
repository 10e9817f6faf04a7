package io.sparklance.spark.streams

import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReaderFactory}

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.changes.{AppendedFragment, AppendedRows, VersionLog, VersionStep}
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.options.StreamOptions
import io.sparklance.spark.read.{LanceScan, RowStreams, ScanSpec}
import io.sparklance.spark.session.TableLocation

/** Streams of the rows of a table: a snapshot and appended rows. */
final private[sparklance] class AppendStreams(
    dataset: Dataset,
    location: TableLocation,
    options: StreamOptions
) extends RowStreams {
  override def refuseInBatch(): Unit = options.refuseInBatch()
  override def of(spec: ScanSpec): MicroBatchStream = new AppendStream(dataset, location, options, spec)
}

/** A stream of appended rows. Each batch is a scan of the fragments that it reads, with the splits of any
  * scan.
  */
final private class AppendStream(
    begun: Dataset,
    location: TableLocation,
    options: StreamOptions,
    spec: ScanSpec
) extends TableStream(begun, options, StreamKind.Rows) {
  private val policy = new StreamPolicy(begun, options)

  override protected def units(step: VersionStep, log: VersionLog): Vector[StreamUnit] =
    fragments(step, log).map(fragment => StreamUnit(1, fragment.bytes, fragment.rows))

  private def fragments(step: VersionStep, log: VersionLog): Vector[AppendedFragment] =
    if (!policy.reads(step, log)) Vector.empty
    else new AppendedRows(begun, log).ofStep(step).map(AppendedFragment(step.version, _))

  override protected def plan(
      snapshot: Option[SnapshotPart],
      steps: Vector[VersionStep],
      first: Int,
      last: Option[Int],
      log: VersionLog
  ): Array[InputPartition] = {
    val added = steps.indices.toVector.flatMap { i =>
      val all = fragments(steps(i), log)
      val cut = last.filter(_ => i == steps.size - 1).fold(all)(all.take)
      if (i == 0) cut.drop(first) else cut
    }
    val rows = new AppendedRows(begun, log)
    val ofSnapshot = snapshot.map { part =>
      rows.showing(
        part.version,
        part.version.fragments.slice(part.from, part.until),
        s"snapshot ${part.from} to ${part.until}"
      )
    }
    val ofAppends =
      Option.when(added.nonEmpty)(rows.show(
        added,
        steps,
        s"versions ${steps.head.version} to ${steps.last.version}"
      ))
    (ofSnapshot ++ ofAppends).flatMap(scan(_).planInputPartitions()).toArray
  }

  override def createReaderFactory(): PartitionReaderFactory = translating(scan(begun).createReaderFactory())

  private def scan(dataset: Dataset) =
    new LanceScan(dataset, location, spec.copy(indices = spec.indices.copy(broken = None)), None).toBatch
}
