package io.sparklance.file

import io.sparklance.data.{ByteRange, Slice}
import io.sparklance.io.{IoClient, Read, ReadBudget, ReadableFile}

/** Byte ranges that a column asks for together; they come in buffers which it may share with others.
  *
  * @param row
  *   the row of the file at which their content begins
  * @param gap
  *   bytes before them that are probably read with them
  * @param known
  *   the bytes of ranges that are not to be read; empty if all are
  */
final private[file] class Fetch(
    val ranges: Vector[ByteRange],
    val row: Long,
    gap: Long = 0,
    known: Vector[Option[Slice]] = Vector.empty
) {
  // Where each of the ranges comes, once they were asked for; null for one without bytes.
  private val places = new Array[SharedBuffer](ranges.size)
  private var isBegun = false
  private var spent = 0L

  /** Whether nothing is to be read. */
  def isEmpty: Boolean = !ranges.indices.exists(isWanted)
  def isDone: Boolean = isEmpty || isBegun && places.forall(p => p == null || p.isDone)

  /** Charge against the task's read-ahead budget; never zero, so that empty fetches cannot pile up. */
  def cost: Long = ranges.indices.iterator.filter(isWanted).map(ranges(_).length).sum + gap + Fetch.Overhead

  /** Whether a range is to be read. */
  def isWanted(range: Int): Boolean = ranges(range).length > 0 && !isKnown(range)

  private def isKnown(range: Int): Boolean = range < known.size && known(range).isDefined

  def place(range: Int, buffer: SharedBuffer): Unit = places(range) = buffer

  def begin(budget: ReadBudget): Unit = {
    isBegun = true
    budget.hold(cost)
  }

  /** Waits for the bytes of each range. They are valid until [[release]]. */
  def await(io: IoClient): Vector[Slice] = ranges.indices.toVector.map { i =>
    if (places(i) != null) places(i).await(io, ranges(i))
    else known.lift(i).flatten.getOrElse(Slice.Empty)
  }

  /** Frees the charge for the first `bytes`, which are decoded, though their buffer stays until [[release]].
    */
  def spend(bytes: Long, budget: ReadBudget): Unit = if (isBegun && bytes > spent) {
    budget.hold(spent - bytes)
    spent = bytes
  }

  /** Gives back the buffers of a fetch that was awaited. */
  def release(io: IoClient, budget: ReadBudget): Unit = if (isBegun) {
    budget.hold(spent - cost)
    places.foreach(p => if (p != null) p.release(io))
  }
}

private[file] object Fetch {
  final private val Overhead = 4096L

  /** A range outside of the file is refused here. */
  def of(
      file: ReadableFile,
      ranges: Vector[ByteRange],
      row: Long,
      gap: Long,
      known: Vector[Option[Slice]]
  ): Fetch = {
    ranges.foreach(ReadableFile.check(file, _))
    new Fetch(ranges, row, gap, known)
  }
}

/** An array that holds the ranges of one or more fetches, which lie near each other in the file.
  *
  * @param start
  *   the position of its first byte
  * @param reads
  *   that fill it
  */
final private[file] class SharedBuffer(start: Long, array: Array[Byte], reads: Vector[Read], fetches: Int) {
  private var users = fetches

  def isDone: Boolean = reads.forall(_.isDone)

  def await(io: IoClient, range: ByteRange): Slice = {
    reads.foreach(io.await)
    Slice(array, (range.offset - start).toInt, range.length.toInt)
  }

  /** One user less. */
  def release(io: IoClient): Unit = {
    users -= 1
    if (users == 0) io.buffers.give(array)
  }
}
