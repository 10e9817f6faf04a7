package io.sparklance.spark.changes

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.types.{DataType, LongType, StringType, TimestampType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String

import io.sparklance.data.DataBlock
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.read.{LanceColumnVector, LanceReaderFactory}

/** Rows of one kind of change in one commit.
  *
  * @param rows
  *   partition of a scan
  * @param kind
  *   value of `_change_type`
  * @param micros
  *   time of the commit since 1970
  */
final private[changes] case class ChangePiece(rows: InputPartition, kind: String, version: Long, micros: Long)

final private[changes] case class ChangesPartition(pieces: Vector[ChangePiece]) extends InputPartition

/** Opens partitions of a change feed on executors. */
final private[changes] case class ChangesReaderFactory(rows: LanceReaderFactory, columns: Vector[ChangeValue])
    extends PartitionReaderFactory {
  override def supportColumnarReads(partition: InputPartition): Boolean = true

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    throw new UnsupportedOperationException("a change feed is read in batches")

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] =
    translating {
      partition match {
        case ChangesPartition(pieces) => new ChangesReader(pieces.iterator, rows, columns)
        case other => throw new IllegalArgumentException(s"not a partition of a change feed: $other")
      }
    }
}

/** Reads pieces one after the other. */
final private class ChangesReader(
    pieces: Iterator[ChangePiece],
    rows: LanceReaderFactory,
    columns: Vector[ChangeValue]
) extends PartitionReader[ColumnarBatch] {
  private var current = Option.empty[OpenPiece]

  override def next(): Boolean = {
    var found = current.exists(_.next())
    while (!found && pieces.hasNext) {
      close()
      val piece = pieces.next()
      current = Some(new OpenPiece(piece, rows.createColumnarReader(piece.rows), columns))
      found = current.exists(_.next())
    }
    found
  }

  override def get(): ColumnarBatch =
    current.fold(throw new IllegalStateException("there is no batch"))(_.batch)

  override def close(): Unit = {
    val last = current
    current = None
    last.foreach(_.close())
  }
}

/** A piece with its reader, which shows all batches through the same vectors. */
final private class OpenPiece(
    piece: ChangePiece,
    reader: PartitionReader[ColumnarBatch],
    columns: Vector[ChangeValue]
) {
  private lazy val shown = new ColumnarBatch(columns.map[ColumnVector] {
    case ChangeValue.Kind => new ConstantText(piece.kind)
    case ChangeValue.Version => new ConstantNumber(LongType, piece.version)
    case ChangeValue.Timestamp => new ConstantNumber(TimestampType, piece.micros)
    case ChangeValue.Stored(at) => reader.get().column(at)
  }.toArray)

  def next(): Boolean = reader.next()

  def batch: ColumnarBatch = {
    shown.setNumRows(reader.get().numRows)
    shown
  }

  def close(): Unit = reader.close()
}

/** Shows the same text in every row. */
final private[changes] class ConstantText(text: String) extends LanceColumnVector(StringType) {
  private val value = UTF8String.fromString(text)
  override protected def look(values: DataBlock): Unit = ()
  override def getUTF8String(row: Int): UTF8String = value
}

/** Shows the same number in every row. */
final private[changes] class ConstantNumber(kind: DataType, value: Long) extends LanceColumnVector(kind) {
  override protected def look(values: DataBlock): Unit = ()
  override def getLong(row: Int): Long = value
}
