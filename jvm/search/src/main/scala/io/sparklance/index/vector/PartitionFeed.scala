package io.sparklance.index.vector

import java.util.concurrent.CompletableFuture

import scala.collection.mutable

import io.sparklance.io.IoTask

/** Partitions of a segment that are read together.
  *
  * @param use
  *   searches them
  */
final private[vector] class PartitionLoad(
    val files: VectorIndexFiles,
    val numbers: Vector[Int],
    val use: Map[Int, StoredPartition] => Unit
) {

  /** Bytes to read, about. */
  lazy val bytes: Long = numbers.iterator.map(files.unread).sum
}

private[vector] object PartitionLoad {

  /** Bytes that are read together at most, unless a partition has more. */
  final val MostBytes = 16L << 20

  /** Returns how many of the first partitions may be read together, at least one.
    *
    * @param bytes
    *   of each
    */
  def fitting(bytes: Iterator[Long]): Int =
    math.max(1, bytes.scanLeft(0L)(_ + _).drop(1).takeWhile(_ <= MostBytes).size)

  /** Divides partitions into loads. */
  def of(files: VectorIndexFiles, numbers: Vector[Int])(
      use: (Int, StoredPartition) => Unit
  ): Iterator[PartitionLoad] = Iterator.unfold(numbers) { left =>
    Option.when(left.nonEmpty) {
      val (some, later) = left.splitAt(fitting(files, left))
      (new PartitionLoad(files, some, data => some.foreach(number => use(number, data(number)))), later)
    }
  }

  /** Returns how many of the first partitions may be read together, at least one. */
  def fitting(files: VectorIndexFiles, numbers: Vector[Int]): Int =
    fitting(numbers.iterator.map(files.unread))
}

/** Reads partitions before they are searched, those of several segments side by side, as far as memory
  * allows. Without read-ahead, reads them when they are searched.
  */
private[vector] object PartitionFeed {

  /** Bytes that are requested and not searched yet. */
  final private val MostBytes = 64L << 20

  def run(io: IoTask, loads: Iterator[PartitionLoad]): Unit = {
    val begun = mutable.Queue.empty[(PartitionLoad, CompletableFuture[Map[Int, StoredPartition]])]
    val most = math.min(MostBytes, io.share)
    var held = 0L
    while (begun.nonEmpty || loads.hasNext) {
      while (loads.hasNext && (begun.isEmpty || io.isAhead && held < most)) {
        val load = loads.next()
        held += load.bytes
        begun += load -> io.fork(load.files.partitions(load.numbers))
      }
      val (load, data) = begun.dequeue()
      load.use(IoTask.result(data))
      held -= load.bytes
    }
  }
}
