package io.sparklance.dataset.compaction

import java.io.ByteArrayOutputStream
import java.util.Arrays

import scala.collection.immutable.ArraySeq

import io.sparklance.data.{Column, Fixed64Block}
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.schema.Field
import io.sparklance.table.rowid.{RowIdEncoder, RowVersionRuns}

/** Collects the row lineage of a new file from the old fragments: stable ids, and the versions that created
  * and updated rows.
  */
final private[compaction] class LineageCollector {
  private val ids = new PieceByPiece
  private val created = new RowVersionRuns
  private val updated = new RowVersionRuns

  /** @param columns
    *   the columns [[LineageCollector.columns]]
    * @param fragment
    *   fragment of the rows
    */
  def append(columns: Vector[Column], from: Int, until: Int, fragment: Long): Unit = {
    val numbers = columns.map(LineageCollector.numbers)
    ids.append(numbers(0), from, until, fragment)
    created.append(numbers(1), from, until)
    updated.append(numbers(2), from, until)
  }

  def finish(): MovedLineage =
    MovedLineage(
      ArraySeq.unsafeWrapArray(ids.encode),
      ArraySeq.unsafeWrapArray(created.encode.toByteArray),
      ArraySeq.unsafeWrapArray(updated.encode.toByteArray)
    )
}

private[compaction] object LineageCollector {
  val columns: Vector[Field] =
    Vector(MetadataColumn.RowId, MetadataColumn.RowCreatedAtVersion, MetadataColumn.RowLastUpdatedAtVersion)
      .map(_.field)

  private def numbers(column: Column): Array[Long] = column.values match {
    case block: Fixed64Block => block.values
    case other => throw new IllegalStateException(s"row ids in a ${other.getClass}")
  }
}

/** Row ids in the order of new rows. Ids of each old fragment are encoded separately, because they usually
  * form a range. Messages with a single repeated field are joined by concatenation.
  */
final private class PieceByPiece {
  private val done = new ByteArrayOutputStream
  private var piece = new Array[Long](1024)
  private var count = 0
  private var source = -1L

  def append(ids: Array[Long], from: Int, until: Int, fragment: Long): Unit = if (until > from) {
    if (fragment != source && !continues(ids(from))) close()
    source = fragment
    val needed = count + until - from
    if (needed > piece.length) piece = Arrays.copyOf(piece, math.max(needed, piece.length * 2))
    System.arraycopy(ids, from, piece, count, until - from)
    count = needed
  }

  def encode: Array[Byte] = {
    close()
    done.toByteArray
  }

  private def continues(id: Long): Boolean = count > 0 && piece(count - 1) + 1 == id

  private def close(): Unit = {
    if (count > 0) RowIdEncoder.encode(Arrays.copyOf(piece, count)).writeTo(done)
    count = 0
  }
}
