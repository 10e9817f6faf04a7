package io.sparklance.encoding.structural

import io.sparklance.LanceFormatException
import io.sparklance.data.{LittleEndian, Slice}
import io.sparklance.encoding.Slots

/** The chunks of a mini-block page in which each row starts and ends. The last buffer of a page with lists,
  * with an entry for each chunk:
  * {{{
  * u64 rows that end in the chunk | u64 slots after the last of these
  * }}}
  * If there are such slots, a row starts with them, or spans the whole chunk, and the next chunk begins with
  * its continuation, called the preamble.
  *
  * @param started
  *   number of rows that start before each chunk, and in all
  * @param ended
  *   number of rows that end before each chunk, and in all
  */
final private[structural] class RepetitionIndex private (started: Array[Long], ended: Array[Long]) {

  /** Returns the chunk in which `row` starts. */
  def startOf(row: Long): Int = RepetitionIndex.lastUpTo(started, row)

  /** Returns the chunk in which `row` ends. */
  def endOf(row: Long): Int = RepetitionIndex.lastUpTo(ended, row)

  def startedBefore(chunk: Int): Long = started(chunk)
  def endedBefore(chunk: Int): Long = ended(chunk)
  def startsIn(chunk: Int): Long = started(chunk + 1) - started(chunk)

  /** Whether the chunk begins with a preamble. */
  def hasPreamble(chunk: Int): Boolean = started(chunk) > ended(chunk)
}

private[structural] object RepetitionIndex {
  final private val EntryBytes = 16

  def parse(bytes: Slice, chunks: Int, rows: Long): RepetitionIndex = {
    if (bytes.length != chunks.toLong * EntryBytes)
      throw new LanceFormatException(s"a repetition index of ${bytes.length} bytes for $chunks chunks")
    val started = new Array[Long](chunks + 1)
    val ended = new Array[Long](chunks + 1)
    var chunk = 0
    while (chunk < chunks) {
      val ends = bytes.long(chunk * EntryBytes)
      val left = bytes.long(chunk * EntryBytes + 8)
      if (ends < 0 || ends > rows - ended(chunk))
        throw new LanceFormatException(
          s"$ends rows end in chunk $chunk, of which ${rows - ended(chunk)} are left"
        )
      ended(chunk + 1) = ended(chunk) + ends
      started(chunk + 1) = ended(chunk + 1) + (if (left == 0) 0 else 1)
      if (started(chunk + 1) < started(chunk))
        throw new LanceFormatException(s"the row that chunk $chunk should go on with ends nowhere")
      chunk += 1
    }
    if (ended(chunks) != rows || started(chunks) != rows)
      throw new LanceFormatException(s"a repetition index of ${ended(chunks)} rows in a page of $rows")
    new RepetitionIndex(started, ended)
  }

  /** @param ends 0, and the end of each chunk, in slots */
  def print(slots: Slots, ends: Array[Int]): Array[Byte] = {
    val bytes = new Array[Byte]((ends.length - 1) * EntryBytes)
    var slot = 0
    var chunk = 0
    while (chunk < ends.length - 1) {
      var rows = 0L
      var rowEnd = slot
      while (slot < ends(chunk + 1)) {
        slot += 1
        if (slot == slots.length || slots.startsRow(slot)) { rows += 1; rowEnd = slot }
      }
      LittleEndian.putLong(bytes, chunk * EntryBytes, rows)
      LittleEndian.putLong(bytes, chunk * EntryBytes + 8, (slot - rowEnd).toLong)
      chunk += 1
    }
    bytes
  }

  /** Returns the last position of an increasing array whose value is at most `value`. */
  private def lastUpTo(values: Array[Long], value: Long): Int = {
    var low = 0
    var high = values.length
    while (high - low > 1) {
      val middle = low + high >>> 1
      if (values(middle) <= value) low = middle else high = middle
    }
    low
  }
}
