package io.sparklance.spark.changes

import org.apache.spark.sql.connector.read.{InputPartition, PartitionReaderFactory}

import io.sparklance.dataset.changes.{ChangeFeed, CommitEffect, VersionLog, VersionRange, VersionStep}
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.streams.{SnapshotPart, StreamKind, StreamPolicy, StreamUnit, TableStream}

/** A stream of the changes of commits. The changes of a commit are in one batch; rows of a snapshot are
  * insertions.
  */
final private[changes] class ChangesStream(source: ChangesSource, reads: ChangesPlan)
    extends TableStream(source.dataset, source.read.stream, StreamKind.Changes) {
  private val policy = new StreamPolicy(source.dataset, source.read.stream)

  /** Returns one unit for a version that may have changes, with the size of the fragments that it adds. */
  override protected def units(step: VersionStep, log: VersionLog): Vector[StreamUnit] = {
    policy.checkColumns(step, log)
    step.effect match {
      case CommitEffect.NoRows | CommitEffect.Moved | CommitEffect.Columns => Vector.empty
      case CommitEffect.Appended(_) | CommitEffect.Merged | CommitEffect.Deleted | CommitEffect.Changed |
          CommitEffect.Replaced(_) | CommitEffect.Began | CommitEffect.Other(_) | CommitEffect.Unrecorded =>
        val added = step.made.fold(Vector.empty[StreamUnit])(_.operation.added.map { fragment =>
          StreamUnit(1, fragment.files.flatMap(_.size).sum, fragment.physicalRows.getOrElse(0L))
        })
        Vector(added.foldLeft(StreamUnit.none)(_ + _).copy(files = math.max(1L, added.size.toLong)))
    }
  }

  override protected def plan(
      snapshot: Option[SnapshotPart],
      steps: Vector[VersionStep],
      first: Int,
      last: Option[Int],
      log: VersionLog
  ): Array[InputPartition] = {
    val ofSnapshot = snapshot.toVector.flatMap { part =>
      val version = part.version.version
      new ChangeFeed(source.dataset, VersionRange(version, version), log)
        .inserted(part.version, part.from, part.until)
    }
    val ofSteps = ChangesStream.runs(steps.map(_.version)).flatMap { range =>
      new ChangeFeed(source.dataset, range, log).all
    }
    reads.partitions(ofSnapshot ++ ofSteps)
  }

  override def createReaderFactory(): PartitionReaderFactory = translating(reads.readerFactory)
}

private object ChangesStream {

  /** Returns ranges of ascending versions, which may have gaps. */
  private def runs(versions: Vector[Long]): Vector[VersionRange] =
    versions.foldLeft(Vector.empty[VersionRange]) { (runs, version) =>
      runs.lastOption match {
        case Some(run) if run.end == version - 1 => runs.init :+ run.copy(end = version)
        case _ => runs :+ VersionRange(version, version)
      }
    }
}
