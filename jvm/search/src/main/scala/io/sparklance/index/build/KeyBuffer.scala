package io.sparklance.index.build

import java.nio.{ByteBuffer, ByteOrder}
import java.util.Arrays

import io.sparklance.data.{Column, DataBlock, Fixed64Block}

/** Keys with the numbers of their rows, in memory: rows with null come first. They can be sorted, and encoded
  * for other tasks. A row is known by its place, from 0 on.
  */
abstract private[sparklance] class KeyBuffer[K <: AnyRef] {
  private var nullIds = new Array[Long](0)
  private var nulls = 0
  protected var ids = new Array[Long](KeyBuffer.InitialRows)

  /** Number of rows with a key. */
  protected var count = 0

  final def size: Int = nulls + count
  final def isEmpty: Boolean = size == 0

  /** Bytes of the rows. */
  final def sizeInBytes: Long = 8L * size + keyBytes

  /** @param key null for null */
  final def add(key: K, id: Long): Unit =
    if (key == null) addNull(id)
    else {
      addId(id)
      addKey(key)
      count += 1
    }

  /** Adds the rows of a batch.
    *
    * @param isNull
    *   flags of null rows; null if there are none
    * @param n
    *   number of rows
    */
  final def addBatch(values: DataBlock, isNull: Array[Boolean], numbers: Array[Long], n: Int): Unit = {
    ids = KeyBuffer.grown(ids, count + n)
    var valid = count
    var i = 0
    while (i < n) {
      if (isNull != null && isNull(i)) addNull(numbers(i))
      else {
        ids(valid) = numbers(i)
        valid += 1
      }
      i += 1
    }
    addKeys(values, isNull, n)
    count = valid
  }

  /** Adds a row of another buffer of the same kind. */
  final def addRow(from: KeyBuffer[K], row: Int): Unit =
    if (from.isNull(row)) addNull(from.nullIds(row))
    else {
      addId(from.id(row))
      copyKey(from, row - from.nulls)
      count += 1
    }

  /** Sorts by keys. Row numbers keep their order among equal numbers, not among equal byte strings. */
  final def sort(): Unit = sortKeys()

  final def isNull(row: Int): Boolean = row < nulls

  /** The row's key; None for null. */
  final def key(row: Int): Option[K] = Option.unless(isNull(row))(keyAt(row - nulls))

  final def id(row: Int): Long = if (row < nulls) nullIds(row) else idAt(row - nulls)

  /** Compares the keys of two rows. */
  final def compareKeys(row: Int, other: KeyBuffer[K], otherRow: Int): Int =
    if (isNull(row) || other.isNull(otherRow))
      java.lang.Boolean.compare(!isNull(row), !other.isNull(otherRow))
    else compareAt(row - nulls, other, otherRow - other.nulls)

  /** Number of rows from `from` on, at least one and at most `n`, whose keys have about `bytes` bytes. */
  def rowsWithin(from: Int, n: Int, bytes: Long): Int

  /** Number of nulls among `n` rows. */
  final def nullsIn(from: Int, n: Int): Int = math.max(0, math.min(nulls - from, n))

  /** Appends the values and the numbers of `n` rows. */
  final def copyTo(from: Int, n: Int, values: Column, numbers: Fixed64Block): Unit = {
    val at = numbers.extend(n)
    var i = 0
    while (i < n) { numbers.values(at + i) = id(from + i); i += 1 }
    val empty = nullsIn(from, n)
    if (empty > 0) values.appendNulls(empty)
    if (n > empty) {
      copyKeys(from + empty - nulls, n - empty, values.values)
      values.nulls.appendValid(n - empty)
    }
  }

  /** Encodes all rows, and removes them: `i32 nulls | i32 keys | packed row numbers of both | keys`. */
  final def drain(): Array[Byte] = {
    val out = PackedLongs.buffer(
      8 + PackedLongs.size(nullIds, nulls) + PackedLongs.size(ids, count) + encodedKeyBytes
    )
    out.putInt(nulls).putInt(count)
    PackedLongs.put(out, nullIds, nulls)
    PackedLongs.put(out, ids, count)
    putKeys(out)
    clear()
    out.array
  }

  /** Adds rows that [[drain]] encoded. */
  final def addEncoded(bytes: Array[Byte]): Unit = {
    val in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
    val (moreNulls, more) = (in.getInt(), in.getInt())
    nullIds = KeyBuffer.grown(nullIds, nulls + moreNulls)
    PackedLongs.get(in, nullIds, nulls, moreNulls)
    nulls += moreNulls
    ids = KeyBuffer.grown(ids, count + more)
    PackedLongs.get(in, ids, count, more)
    getKeys(in, more)
    count += more
  }

  final def clear(): Unit = {
    nulls = 0
    clearKeys()
    count = 0
  }

  private def addNull(id: Long): Unit = {
    nullIds = KeyBuffer.grown(nullIds, nulls + 1)
    nullIds(nulls) = id
    nulls += 1
  }

  private def addId(id: Long): Unit = {
    ids = KeyBuffer.grown(ids, count + 1)
    ids(count) = id
  }

  /** The row number at a place of the order. */
  protected def idAt(i: Int): Long

  /** The key at a place of the order. */
  protected def keyAt(i: Int): K
  protected def compareAt(i: Int, other: KeyBuffer[K], j: Int): Int
  protected def keyBytes: Long

  /** Adds a key after the first `count` ones. */
  protected def addKey(key: K): Unit
  protected def addKeys(values: DataBlock, isNull: Array[Boolean], n: Int): Unit
  protected def copyKey(from: KeyBuffer[K], i: Int): Unit

  /** Appends the values of keys at places of the order. */
  protected def copyKeys(from: Int, n: Int, values: DataBlock): Unit
  protected def sortKeys(): Unit
  protected def encodedKeyBytes: Long
  protected def putKeys(out: ByteBuffer): Unit
  protected def getKeys(in: ByteBuffer, n: Int): Unit
  protected def clearKeys(): Unit

  final protected def unlike(other: KeyBuffer[K]) = new IllegalStateException(s"keys of ${other.getClass}")
}

private[build] object KeyBuffer {
  final private[build] val InitialRows = 64

  private[build] def grown(array: Array[Long], needed: Int): Array[Long] =
    if (needed <= array.length) array else Arrays.copyOf(array, math.max(needed, array.length * 2))
}
