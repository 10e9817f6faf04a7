package io.sparklance.file

import java.util.Arrays

/** Rows of a fragment to be read from some columns: a queue in ascending order. A filter appends rows, and
  * those that were read are dropped. Rows are numbered from the first that was ever appended.
  */
final private[sparklance] class ChosenRows {
  private var offsets = new Array[Long](1024)
  private var head = 0
  private var size = 0
  private var dropped = 0L

  /** The number of the first row. */
  def first: Long = dropped

  /** The number that the next row to be appended gets. */
  def end: Long = dropped + size

  def count: Int = size

  /** The offset in the fragment of a row between [[first]] and [[end]]. */
  def apply(number: Long): Long = offsets(head + (number - dropped).toInt)

  /** The number of the first row from number `from` on whose offset is at least `offset`. */
  def find(offset: Long, from: Long): Long = {
    val start = head + (math.max(from, dropped) - dropped).toInt
    val found = Arrays.binarySearch(offsets, start, head + size, offset)
    dropped + (if (found >= 0) found else -found - 1) - head
  }

  /** The number of the last row, of those from number `from` to `until`, exclusive, that has an offset of
    * less than `below` and that no gap of more than `gap` rows separates from the first.
    */
  def lastNear(from: Long, until: Long, gap: Long, below: Long): Long = {
    val rows = offsets
    val limit = head + (math.min(until, end) - dropped).toInt
    var i = head + (from - dropped).toInt
    // Offsets ascend: no gap between two rows is greater than their distance.
    var step = 1
    while (step > 0) {
      val next = i + step
      if (next < limit && rows(next) < below && rows(next) - rows(i) <= gap) {
        i = next
        step = math.min(2 * step, ChosenRows.LongestStep)
      } else step >>= 1
    }
    dropped + i - head
  }

  /** Writes the offsets of the rows from number `from` to `until`, exclusive, that are less than `below` to
    * `out`, each plus `shift`. Returns the number of the first other row.
    */
  def copyBelow(from: Long, until: Long, below: Long, shift: Long, out: Array[Int], at: Int): Long = {
    val rows = offsets
    val first = head + (from - dropped).toInt
    val limit = first + (until - from).toInt
    var i = first
    while (i < limit && rows(i) < below) {
      out(at + i - first) = (rows(i) + shift).toInt
      i += 1
    }
    from + i - first
  }

  /** Appends the rows `rows(positions(i))`, for i from 0 to `count`. */
  def append(rows: Array[Long], positions: Array[Int], count: Int): Unit = append(rows, 0, positions, count)

  /** Appends the rows of `other` numbered `other.first + positions(i)`, for i from 0 to `count`. */
  def append(other: ChosenRows, positions: Array[Int], count: Int): Unit =
    append(other.offsets, other.head, positions, count)

  private def append(rows: Array[Long], from: Int, positions: Array[Int], count: Int): Unit = {
    makeRoom(count)
    val out = offsets
    val at = head + size
    var i = 0
    while (i < count) {
      out(at + i) = rows(from + positions(i))
      i += 1
    }
    size += count
  }

  /** Keeps the rows `first + positions(i)`, for i from 0 to `count`, of those that nobody has read or
    * requested yet, and numbers them from [[first]] on.
    */
  def retain(positions: Array[Int], count: Int): Unit = {
    var i = 0
    while (i < count) {
      offsets(head + i) = offsets(head + positions(i))
      i += 1
    }
    size = count
  }

  /** Copies the offsets of the first `n` rows. */
  def copyTo(target: Array[Long], n: Int): Unit = System.arraycopy(offsets, head, target, 0, n)

  /** Drops the first `n` rows. */
  def drop(n: Int): Unit = {
    head += n
    size -= n
    dropped += n
  }

  private def makeRoom(n: Int): Unit = if (head + size + n > offsets.length) {
    val moved = new Array[Long](math.max(offsets.length, Math.toIntExact(2L * (size + n))))
    copyTo(moved, size)
    offsets = moved
    head = 0
  }
}

private object ChosenRows {
  final private val LongestStep = 1 << 12
}
