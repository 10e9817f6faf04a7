package io.sparklance.index.build

import java.nio.ByteBuffer

import io.sparklance.data.DataBlock

/** A buffer of keys that are numbers. */
final private[build] class NumberKeyBuffer(of: NumberIndexKeys) extends KeyBuffer[java.lang.Long] {
  private var keys = new Array[Long](KeyBuffer.InitialRows)

  def rowsWithin(from: Int, n: Int, bytes: Long): Int = math.max(1, math.min(n.toLong, bytes / 8)).toInt

  protected def idAt(i: Int): Long = ids(i)
  protected def keyAt(i: Int): java.lang.Long = Long.box(keys(i))
  protected def keyBytes: Long = 8L * count

  protected def compareAt(i: Int, other: KeyBuffer[java.lang.Long], j: Int): Int = other match {
    case numbers: NumberKeyBuffer => java.lang.Long.compare(keys(i), numbers.keys(j))
    case _ => throw unlike(other)
  }

  protected def addKey(key: java.lang.Long): Unit = {
    keys = KeyBuffer.grown(keys, count + 1)
    keys(count) = key
  }

  protected def addKeys(values: DataBlock, isNull: Array[Boolean], n: Int): Unit = {
    keys = KeyBuffer.grown(keys, count + n)
    var at = count
    var i = 0
    while (i < n) {
      if (isNull == null || !isNull(i)) { keys(at) = of.number(values, i); at += 1 }
      i += 1
    }
  }

  protected def copyKey(from: KeyBuffer[java.lang.Long], i: Int): Unit = from match {
    case numbers: NumberKeyBuffer =>
      keys = KeyBuffer.grown(keys, count + 1)
      keys(count) = numbers.keys(i)
    case _ => throw unlike(from)
  }

  protected def copyKeys(from: Int, n: Int, values: DataBlock): Unit = {
    var i = from
    while (i < from + n) { of.appendNumber(keys(i), values); i += 1 }
  }

  protected def sortKeys(): Unit = {
    val pairs = new LongPairs(keys, ids)
    pairs.sort(count)
    keys = pairs.keys
    ids = pairs.values
  }

  protected def encodedKeyBytes: Long = PackedLongs.size(keys, count)
  protected def putKeys(out: ByteBuffer): Unit = PackedLongs.put(out, keys, count)
  protected def getKeys(in: ByteBuffer, n: Int): Unit = {
    keys = KeyBuffer.grown(keys, count + n)
    PackedLongs.get(in, keys, count, n)
  }
  protected def clearKeys(): Unit = ()
}
