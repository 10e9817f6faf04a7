package io.sparklance.table.rowid

import com.google.protobuf.ByteString

import io.sparklance.proto.{rowids => pb}

/** Writes what [[RowVersions]] reads. */
object RowVersionEncoder {

  /** All rows have the same. */
  def uniform(rows: Long, version: Long): ByteString =
    pb.RowDatasetVersionSequence(Seq(run(0, rows, version))).toByteString

  def encode(versions: Array[Long]): ByteString = {
    val runs = new RowVersionRuns
    runs.append(versions, 0, versions.length)
    runs.encode
  }

  /** The span is one of offsets, though nobody may rely on that. */
  private[rowid] def run(start: Long, end: Long, version: Long): pb.RowDatasetVersionRun = {
    val span = pb.U64Segment.Segment.Range(pb.U64Segment.Range(start, end))
    pb.RowDatasetVersionRun(Some(pb.U64Segment(span)), version)
  }
}
