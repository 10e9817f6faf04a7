package io.sparklance.spark.index

import scala.collection.mutable

import org.apache.spark.{Partitioner, TaskContext}

import io.sparklance.dataset.scan.Split
import io.sparklance.index.build.{
  ByteIndexKeys,
  IndexKeys,
  IndexedRows,
  KeyBounds,
  KeyBuffer,
  NumberIndexKeys
}
import io.sparklance.spark.session.{Session, TableLocation}
import io.sparklance.spark.write.TaskBytes
import io.sparklance.vector.VectorColumn

/** Chooses the number of ranges into which the rows of a B-tree are divided, and samples the rows. */
private[index] object KeyRanges {

  /** Number of rows up to which an index is one range. */
  private val SmallRows = 1L << 20
  private val SmallRowsOfBytes = 1L << 18

  /** Bytes of keys and addresses in a range. */
  private val RangeBytes = 64L << 20
  private val MaxRanges = 10000
  private val SampleRows = 1L << 14

  /** Bytes of a sampled key: bounds need not be whole keys. */
  private val SampledKeyBytes = 256

  /** Whether the rows are one range if no number of ranges is given. */
  def isSmall(rows: Long, keys: IndexKeys[_]): Boolean = rows <=
    (keys match {
      case _: NumberIndexKeys => SmallRows
      case _: ByteIndexKeys => SmallRowsOfBytes
    })

  /** Returns the number of ranges for rows of which a sample is known. */
  def count[K <: AnyRef](rows: Long, sample: Vector[(K, Long)], keys: IndexKeys[K]): Int = {
    val bytes = sample.map { case (key, _) => if (key == null) 0L else keys.sizeInBytes(key) }.sum
    val all = rows.toDouble * (8 + bytes.toDouble / math.max(1, sample.size))
    math.max(Session.minSplits, math.min(all / RangeBytes + 1, MaxRanges.toDouble).toInt)
  }

  /** Returns keys, long ones cut, and addresses of rows from all over the table, in its order. */
  def sample[K <: AnyRef](work: IndexWork, keys: IndexKeys[K]): Vector[(K, Long)] = {
    val (location, depth) = (work.forTasks, work.column.path.size - 1)
    work
      .sample(SampleRows)
      .map(split => TaskBytes.of(sampled(open(location, split, depth), keys)))
      .collect()
      .toVector
      .flatMap(TaskBytes.read[Vector[(K, Long)]](_))
  }

  /** Opens a split in a task, and closes it at its end. */
  def open(location: TableLocation, split: Split, depth: Int): IndexedRows =
    closing(new IndexedRows(location.store, split, depth))

  /** Opens splits in a task, one after the other, and closes the last at its end. */
  def each(location: TableLocation, splits: Iterator[Split], depth: Int): Iterator[IndexedRows] = {
    val opened = new OneOpen(splits.map(new IndexedRows(location.store, _, depth)))
    TaskContext.get().addTaskCompletionListener[Unit](_ => opened.close())
    opened
  }

  /** Opens a split of vectors in a task, and closes it at its end. */
  def vectors(location: TableLocation, split: Split, column: VectorColumn): IndexedRows =
    if (column.isMulti) closing(new IndexedRows(location.store, split, depth = 0, IndexedRows.BatchLists))
    else open(location, split, depth = 0)

  private def closing(rows: IndexedRows): IndexedRows = {
    TaskContext.get().addTaskCompletionListener[Unit](_ => rows.close())
    rows
  }

  private def sampled[K <: AnyRef](rows: IndexedRows, keys: IndexKeys[K]): Vector[(K, Long)] = {
    val all = Vector.newBuilder[(K, Long)]
    while (rows.next())
      (0 until rows.count).foreach { i =>
        val key =
          if (rows.isNull(i)) null.asInstanceOf[K] else keys.prefix(rows.values.values, i, SampledKeyBytes)
        all += key -> rows.number(i)
      }
    all.result()
  }
}

/** Sends each range to the partition of its number. */
final private[index] case class RangePartitions(numPartitions: Int) extends Partitioner {
  override def getPartition(key: Any): Int = key match {
    case range: Int => range
    case other => throw new IllegalArgumentException(s"no range: $other")
  }
}

/** Encoded chunks of a split's rows, each with its range. Runs in a task, and holds a limited number of
  * bytes.
  */
final private[index] class RangedChunks[K <: AnyRef](rows: IndexedRows, bounds: KeyBounds[K])
    extends Iterator[(Int, Array[Byte])] {
  private val batch = bounds.keys.buffer
  private val buffers = Array.fill[KeyBuffer[K]](bounds.ranges)(bounds.keys.buffer)
  private val chunkBytes = math.max(RangedChunks.MinBytes, RangedChunks.MaxBytes / bounds.ranges)
  private val ready = mutable.Queue.empty[(Int, Array[Byte])]
  private var hasMore = true

  def hasNext: Boolean = {
    while (ready.isEmpty && hasMore) {
      hasMore = rows.next()
      if (hasMore) addBatch()
      drain(if (hasMore) chunkBytes else 1)
    }
    ready.nonEmpty
  }

  def next(): (Int, Array[Byte]) = {
    if (!hasNext) throw new NoSuchElementException
    ready.dequeue()
  }

  private def addBatch(): Unit = {
    batch.clear()
    batch.addBatch(rows.values.values, rows.nulls, rows.numbers, rows.count)
    bounds.divide(batch, buffers)
  }

  /** Encodes the rows of ranges that have as many bytes. */
  private def drain(bytes: Long): Unit = {
    var range = 0
    while (range < buffers.length) {
      if (buffers(range).sizeInBytes >= bytes) ready += range -> buffers(range).drain()
      range += 1
    }
  }
}

private object RangedChunks {
  private val MaxBytes = 16L << 20
  private val MinBytes = 2L << 10
}
