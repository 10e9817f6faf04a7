package io.sparklance.index.build

import java.nio.ByteBuffer
import java.util.Arrays

import io.sparklance.data.{DataBlock, VariableBlock}

/** A buffer of keys that are byte strings, back to back. Sorting changes their order, not their places. */
final private[build] class ByteKeyBuffer(of: ByteIndexKeys) extends KeyBuffer[Array[Byte]] {
  private var bytes = new Array[Byte](1024)
  private var ends = new Array[Int](KeyBuffer.InitialRows)

  /** Places of the sorted keys; null if they were not sorted. */
  private var order: Array[Int] = _

  def rowsWithin(from: Int, n: Int, most: Long): Int = {
    var (rows, size) = (0, 0L)
    while (rows < n && (rows == 0 || size < most)) {
      if (!isNull(from + rows)) size += length(place(from + rows - (this.size - count)))
      rows += 1
    }
    rows
  }

  protected def idAt(i: Int): Long = ids(place(i))
  protected def keyAt(i: Int): Array[Byte] = {
    val at = place(i)
    Arrays.copyOfRange(bytes, start(at), ends(at))
  }
  protected def keyBytes: Long = 4L * count + start(count)

  protected def compareAt(i: Int, other: KeyBuffer[Array[Byte]], j: Int): Int = other match {
    case strings: ByteKeyBuffer =>
      val (mine, theirs) = (place(i), strings.place(j))
      Arrays.compareUnsigned(
        bytes,
        start(mine),
        ends(mine),
        strings.bytes,
        strings.start(theirs),
        strings.ends(theirs)
      )
    case _ => throw unlike(other)
  }

  protected def addKey(key: Array[Byte]): Unit = append(count, key, 0, key.length)

  protected def addKeys(values: DataBlock, isNull: Array[Boolean], n: Int): Unit = {
    var at = count
    var i = 0
    values match {
      case block: VariableBlock =>
        reserve(count + n, start(count).toLong + block.offsets(n) - block.offsets(0))
        while (i < n) {
          if (isNull == null || !isNull(i)) {
            append(at, block.bytes, block.offsets(i), block.offsets(i + 1) - block.offsets(i))
            at += 1
          }
          i += 1
        }
      case _ =>
        while (i < n) {
          if (isNull == null || !isNull(i)) {
            val key = of.of(values, i)
            append(at, key, 0, key.length)
            at += 1
          }
          i += 1
        }
    }
  }

  protected def copyKey(from: KeyBuffer[Array[Byte]], i: Int): Unit = from match {
    case strings: ByteKeyBuffer =>
      val at = strings.place(i)
      append(count, strings.bytes, strings.start(at), strings.length(at))
    case _ => throw unlike(from)
  }

  protected def copyKeys(from: Int, n: Int, values: DataBlock): Unit = {
    var i = from
    values match {
      case block: VariableBlock =>
        while (i < from + n) {
          val at = place(i)
          block.append(bytes, start(at), length(at))
          i += 1
        }
      case _ => while (i < from + n) { of.append(keyAt(i), values); i += 1 }
    }
  }

  protected def sortKeys(): Unit = {
    val starts = new Array[Int](count)
    var i = 1
    while (i < count) { starts(i) = ends(i - 1); i += 1 }
    order = new ByteStringOrder(bytes, starts, ends).sorted(count)
  }

  protected def encodedKeyBytes: Long = PackedLongs.size(lengths, count) + start(count)

  protected def putKeys(out: ByteBuffer): Unit = {
    PackedLongs.put(out, lengths, count)
    val _ = out.put(bytes, 0, start(count))
  }

  protected def getKeys(in: ByteBuffer, n: Int): Unit = {
    val lengths = new Array[Long](n)
    PackedLongs.get(in, lengths, 0, n)
    val from = start(count)
    reserve(count + n, from.toLong + in.remaining)
    var end = from
    var i = 0
    while (i < n) {
      end += lengths(i).toInt
      ends(count + i) = end
      i += 1
    }
    val _ = in.get(bytes, from, end - from)
  }

  protected def clearKeys(): Unit = order = null

  private def lengths: Array[Long] = {
    val lengths = new Array[Long](count)
    var i = 0
    while (i < count) { lengths(i) = length(i).toLong; i += 1 }
    lengths
  }

  private def place(i: Int): Int = if (order == null) i else order(i)
  private def start(at: Int): Int = if (at == 0) 0 else ends(at - 1)
  private def length(at: Int): Int = ends(at) - start(at)

  /** Puts a key at the end, which is place `at`. */
  private def append(at: Int, source: Array[Byte], from: Int, size: Int): Unit = {
    val to = start(at)
    reserve(at + 1, to.toLong + size)
    System.arraycopy(source, from, bytes, to, size)
    ends(at) = to + size
  }

  private def reserve(rows: Int, size: Long): Unit = {
    if (rows > ends.length) ends = Arrays.copyOf(ends, math.max(rows, ends.length * 2))
    if (size > bytes.length)
      bytes = Arrays.copyOf(bytes, math.max(size, math.min(2L * bytes.length, Int.MaxValue - 8L)).toInt)
  }
}
