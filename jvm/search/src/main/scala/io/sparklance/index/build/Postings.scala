package io.sparklance.index.build

import java.nio.ByteBuffer
import java.util.TreeMap

import scala.jdk.CollectionConverters._

import org.roaringbitmap.RoaringBitmap

import io.sparklance.data.LittleEndian

/** A set of row numbers, which grows: a bitmap of the lower halves for each upper half. */
final private[sparklance] class Postings {
  private val bitmaps = new TreeMap[Integer, RoaringBitmap](Postings.Unsigned)
  private var rows = 0L
  private var lastHigh = 0
  private var last: RoaringBitmap = _

  def isEmpty: Boolean = bitmaps.isEmpty

  /** Bytes in memory, about. */
  def sizeInBytes: Long = Postings.EntryBytes * (bitmaps.size + 1L) + 2 * rows

  def add(number: Long): Unit = {
    val high = (number >>> 32).toInt
    if (last == null || high != lastHigh) {
      last = bitmaps.computeIfAbsent(high, _ => new RoaringBitmap)
      lastHigh = high
    }
    last.add(number.toInt)
    rows += 1
  }

  /** Encodes the set, and empties it. */
  def drain(): Array[Byte] = {
    val bytes = encode
    bitmaps.clear()
    rows = 0
    last = null
    bytes
  }

  /** Adds the rows that another set encoded with [[encode]]. */
  def addEncoded(bytes: Array[Byte]): Unit = {
    var at = 4
    (0 until LittleEndian.int(bytes, 0)).foreach { _ =>
      val (high, size) = (LittleEndian.int(bytes, at), LittleEndian.int(bytes, at + 4))
      val added = new RoaringBitmap
      added.deserialize(ByteBuffer.wrap(bytes, at + 8, size).slice())
      rows += added.getLongCardinality
      bitmaps.merge(high, added, (mine, other) => { mine.or(other); mine })
      at += 8 + size
    }
    last = null
  }

  /** Encodes the set as in bitmap indices, and in lists of null rows:
    * {{{
    * u32 n | n times: u32 upper half | u32 size | Roaring bitmap of the lower halves
    * }}}
    */
  def encode: Array[Byte] = {
    val sizes = compact().map(_._2.serializedSizeInBytes)
    val bytes = new Array[Byte](Math.toIntExact(4L + sizes.map(8L + _).sum))
    LittleEndian.putInt(bytes, 0, bitmaps.size)
    var at = 4
    bitmaps.asScala.zip(sizes).foreach { case ((high, bitmap), size) =>
      LittleEndian.putInt(bytes, at, high)
      LittleEndian.putInt(bytes, at + 4, size)
      bitmap.serialize(ByteBuffer.wrap(bytes, at + 8, size))
      at += 8 + size
    }
    bytes
  }

  /** Encodes the set as in n-gram indices: `u64 n | n times: u32 upper half | Roaring bitmap`. */
  def encodeWide: Array[Byte] = {
    val sizes = compact().map(_._2.serializedSizeInBytes)
    val bytes = new Array[Byte](Math.toIntExact(8L + sizes.map(4L + _).sum))
    LittleEndian.putLong(bytes, 0, bitmaps.size.toLong)
    var at = 8
    bitmaps.asScala.zip(sizes).foreach { case ((high, bitmap), size) =>
      LittleEndian.putInt(bytes, at, high)
      bitmap.serialize(ByteBuffer.wrap(bytes, at + 4, size))
      at += 4 + size
    }
    bytes
  }

  /** Removes run containers, which pylance does not write here. */
  private def compact(): Vector[(Integer, RoaringBitmap)] = {
    val all = bitmaps.asScala.toVector
    all.foreach { case (_, bitmap) => val _ = bitmap.removeRunCompression() }
    all
  }
}

private[build] object Postings {

  /** Size of an encoded set without rows. */
  final private[build] val EmptyBytes = 4
  final private val EntryBytes = 200L
  private val Unsigned: java.util.Comparator[Integer] = (a, b) => Integer.compareUnsigned(a, b)
}
