package io.sparklance.table.rowid

import java.util.Arrays

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.proto.{rowids => pb}
import io.sparklance.{LanceFormatException, Location, ProtoBytes}

/** The table version that created, or last updated, each row of a fragment, in runs: the message
  * `RowDatasetVersionSequence` with runs of
  * {{{
  * span      a segment like those of row ids, with as many numbers as the run has rows; their values are ignored
  * version   of all these rows
  * }}}
  *
  * @param starts
  *   the first row of each run, and the number of rows
  */
final private[sparklance] class RowVersions private (starts: Array[Long], versions: Array[Long])
    extends RowNumbers {

  def apply(offset: Long): Long = {
    val found = Arrays.binarySearch(starts, offset)
    versions(if (found >= 0) found else -found - 2)
  }

  def offsetsOf(numbers: RowRanges): RowRanges = RowRanges.of(versions.indices.collect {
    case i if numbers.contains(versions(i)) => RowRange(starts(i), starts(i + 1))
  })

  def messageOf(rows: RowRange): Array[Byte] = {
    val runs = versions.indices.iterator
      .map(i => RowRange(starts(i), starts(i + 1)).intersect(rows) -> versions(i))
      .filterNot(_._1.isEmpty)
      .map { case (run, version) =>
        RowVersionEncoder.run(run.start - rows.start, run.end - rows.start, version)
      }
    pb.RowDatasetVersionSequence(runs.toVector).toByteArray
  }
}

private[sparklance] object RowVersions {

  /** Version of rows without a record. */
  final val Unknown = 1L

  /** @param rows expected number of rows */
  def parse(bytes: Array[Byte], rows: Long): RowVersions =
    LanceFormatException.locating(Location()) {
      val message = ProtoBytes.parse(pb.RowDatasetVersionSequence, bytes, "the versions of rows")
      val runs = message.runs.map(run => length(run) -> run.version).filter(_._1 > 0)
      val starts = runs.scanLeft(0L) { case (sum, (length, _)) => Math.addExact(sum, length) }
      if (starts.last != rows)
        throw new LanceFormatException(s"versions of ${starts.last} rows, of a fragment of $rows")
      runs.find(_._2 < 0).foreach { case (_, version) =>
        throw new LanceFormatException(
          s"rows of version ${java.lang.Long.toUnsignedString(version)} of the table"
        )
      }
      new RowVersions(starts.toArray, runs.map(_._2).toArray)
    }

  private def length(run: pb.RowDatasetVersionRun): Long =
    run.span.fold(throw new LanceFormatException("versions of rows without a span"))(Segment.of(_).length)
}
