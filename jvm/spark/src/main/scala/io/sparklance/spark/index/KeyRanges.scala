package io.sparklance.spark.index

import org.apache.spark.Partitioner

import io.sparklance.index.build.{IndexKeys, IndexedRows, KeyBounds, KeyBuffer}
import io.sparklance.spark.session.Session
import io.sparklance.spark.write.TaskBytes

/** Divides the rows of an index into ranges of keys. */
private[index] object KeyRanges {

  /** Number of rows up to which an index is one range. */
  private val SmallRows = 1L << 20

  /** Bytes of keys and addresses in a range. */
  private val RangeBytes = 64L << 20
  private val MaxRanges = 10000
  private val SampleRows = 1L << 14

  /** Chooses the bounds by a sample of the rows.
    *
    * @param count
    *   number of ranges, if it is given
    */
  def of[K <: AnyRef](work: IndexWork, keys: IndexKeys[K], count: Option[Int]): KeyBounds[K] =
    if (count.getOrElse(if (work.rows <= SmallRows) 1 else 2) == 1) KeyBounds(keys, Vector.empty)
    else {
      val sample = this.sample(work, keys)
      KeyBounds.of(keys, sample, count.getOrElse(ranges(work.rows, sample, keys)))
    }

  private def ranges[K <: AnyRef](rows: Long, sample: Vector[(K, Long)], keys: IndexKeys[K]): Int = {
    val bytes = sample.map { case (key, _) => if (key == null) 0L else keys.sizeInBytes(key) }.sum
    val all = rows.toDouble * (8 + bytes.toDouble / math.max(1, sample.size))
    math.max(Session.minSplits, math.min(all / RangeBytes + 1, MaxRanges.toDouble).toInt)
  }

  private def sample[K <: AnyRef](work: IndexWork, keys: IndexKeys[K]): Vector[(K, Long)] = {
    val (location, depth) = (work.forTasks, work.column.path.size - 1)
    work
      .sample(SampleRows)
      .map(split => TaskBytes.of(KeyedRows.of(location, split, depth, keys).toVector))
      .collect()
      .toVector
      .flatMap(TaskBytes.read[Vector[(K, Long)]](_))
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
  private val keyed = new KeyedRows(rows, bounds.keys)
  private val buffers = Array.fill[KeyBuffer[K]](bounds.ranges)(bounds.keys.buffer)
  private val chunkBytes = math.max(RangedChunks.MinBytes, RangedChunks.MaxBytes / bounds.ranges)
  private var ready = Option.empty[(Int, Array[Byte])]

  /** The range from which to drain the last chunks. */
  private var rest = 0

  def hasNext: Boolean = {
    while (ready.isEmpty && keyed.hasNext) add(keyed.next())
    while (ready.isEmpty && rest < buffers.length) {
      if (!buffers(rest).isEmpty) ready = Some((rest, buffers(rest).drain()))
      rest += 1
    }
    ready.isDefined
  }

  def next(): (Int, Array[Byte]) = {
    if (!hasNext) throw new NoSuchElementException
    val chunk = ready.get
    ready = None
    chunk
  }

  private def add(row: (K, Long)): Unit = {
    val range = bounds.rangeOf(row._1, row._2)
    val buffer = buffers(range)
    buffer.add(row._1, row._2)
    if (buffer.sizeInBytes >= chunkBytes) ready = Some((range, buffer.drain()))
  }
}

private object RangedChunks {
  private val MaxBytes = 32L << 20
  private val MinBytes = 16L << 10
}
