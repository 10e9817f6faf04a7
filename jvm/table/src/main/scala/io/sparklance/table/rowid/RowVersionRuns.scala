package io.sparklance.table.rowid

import com.google.protobuf.ByteString

import io.sparklance.proto.{rowids => pb}

/** Collects versions of rows, one for each row, as runs. */
final private[sparklance] class RowVersionRuns {
  private val runs = Vector.newBuilder[pb.RowDatasetVersionRun]
  private var start = 0L
  private var end = 0L
  private var version = 0L

  /** Appends `versions[from, until)`. */
  def append(versions: Array[Long], from: Int, until: Int): Unit = {
    var i = from
    while (i < until) {
      if (versions(i) != version) {
        close()
        version = versions(i)
      }
      end += 1
      i += 1
    }
  }

  /** Encodes the runs for [[RowVersions]]. Call once. */
  def encode: ByteString = {
    close()
    pb.RowDatasetVersionSequence(runs.result()).toByteString
  }

  private def close(): Unit = {
    if (end > start) runs += RowVersionEncoder.run(start, end, version)
    start = end
  }
}
