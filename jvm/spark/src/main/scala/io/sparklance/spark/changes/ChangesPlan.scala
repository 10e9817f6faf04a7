package io.sparklance.spark.changes

import java.time.Instant
import java.time.temporal.ChronoUnit.MICROS

import org.apache.spark.sql.connector.read.{InputPartition, PartitionReaderFactory}
import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.changes.ChangedRows
import io.sparklance.dataset.scan.SplitTarget
import io.sparklance.spark.read.{LanceInputPartition, LanceReaderFactory, LanceScan, ScanSpec}
import io.sparklance.spark.session.Session
import io.sparklance.spark.types.SchemaConverter

/** Partitions of a read of changes.
  *
  * @param required
  *   columns of the result
  * @param spec
  *   the scan of the table's own columns
  */
final private[changes] class ChangesPlan(source: ChangesSource, required: StructType, spec: ScanSpec) {

  def schema: StructType = StructType(required.map { column =>
    spec.projection.find(_.name == column.name).fold(column)(SchemaConverter.toSpark(_, spec.readTypes))
  })

  /** Divides large parts, and joins small ones. */
  def partitions(changes: Vector[ChangedRows]): Array[InputPartition] = {
    val pieces = changes.flatMap(ofPart)
    val most = math.max(1L, math.min(ChangesPlan.MaxRows, pieces.map(_._2).sum / Session.minSplits + 1))
    ChangesPlan.joined(pieces, most).map(ChangesPartition(_): InputPartition).toArray
  }

  def readerFactory: PartitionReaderFactory = ChangesReaderFactory(
    LanceReaderFactory(source.place, spec.projection, spec.batchRows, spec.readTypes),
    required.map(column => FeedColumns.value(column.name, spec.projection)).toVector
  )

  /** Returns the pieces of a part, each with its number of rows. */
  private def ofPart(part: ChangedRows): Vector[(ChangePiece, Long)] = {
    val whole = spec.split.getOrElse(ChangesPlan.uncut(Session.splitTarget))
    val scan = new LanceScan(
      part.dataset,
      source.location,
      spec.withRows(_.copy(addresses = part.addresses)).copy(split = Some(whole)),
      None
    )
    val micros = MICROS.between(Instant.EPOCH, part.timestamp)
    scan.toBatch.planInputPartitions().toVector.map { partition =>
      ChangePiece(partition, part.kind.name, part.version, micros) -> ChangesPlan.rows(partition)
    }
  }
}

private object ChangesPlan {

  /** Most rows of a partition that is made of several pieces. */
  final private val MaxRows = 1L << 20

  /** Most pieces of a partition. */
  final private val MaxPieces = 200

  /** Returns a target that divides only large parts. */
  private def uncut(target: SplitTarget): SplitTarget = target match {
    case SplitTarget.Balanced(bytes, _, _) => SplitTarget.Bytes(bytes)
    case other => other
  }

  private def rows(partition: InputPartition): Long = partition match {
    case LanceInputPartition(split) => split.tasks.iterator.map(_.rows.count).sum
    case _ => 1L
  }

  /** Joins neighbours of together at most `most` rows. */
  private def joined(pieces: Vector[(ChangePiece, Long)], most: Long): Vector[Vector[ChangePiece]] = {
    val out = Vector.newBuilder[Vector[ChangePiece]]
    var (open, count) = (Vector.empty[ChangePiece], 0L)
    pieces.foreach { case (piece, rows) =>
      if (open.nonEmpty && (count + rows > most || open.size == MaxPieces)) {
        out += open
        open = Vector.empty
        count = 0
      }
      open :+= piece
      count += rows
    }
    if (open.nonEmpty) out += open
    out.result()
  }
}
