package io.sparklance.table.rowid

import com.google.protobuf.ByteString

import io.sparklance.proto.{rowids => pb}

/** Encodes row versions for [[RowVersions]]. */
private[sparklance] object RowVersionEncoder {

  /** Encodes one version for all rows. */
  def uniform(rows: Long, version: Long): ByteString =
    pb.RowDatasetVersionSequence(Seq(run(0, rows, version))).toByteString

  def encode(versions: Array[Long]): ByteString = {
    val runs = new RowVersionRuns
    runs.append(versions, 0, versions.length)
    runs.encode
  }

  /** Encodes a run. Its span holds offsets, which readers must not rely on. */
  private[rowid] def run(start: Long, end: Long, version: Long): pb.RowDatasetVersionRun = {
    val span = pb.U64Segment.Segment.Range(pb.U64Segment.Range(start, end))
    pb.RowDatasetVersionRun(Some(pb.U64Segment(span)), version)
  }
}
