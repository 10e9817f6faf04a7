package io.sparklance.index.build

import java.nio.{ByteBuffer, ByteOrder}
import java.util.Arrays

/** Keys with the numbers of their rows, in memory. They can be sorted, and encoded for other tasks. */
sealed abstract private[sparklance] class KeyBuffer[K <: AnyRef] {
  protected var ids = new Array[Long](KeyBuffer.InitialRows)
  private var nullIds = new Array[Long](0)
  protected var count = 0
  private var nulls = 0

  def isEmpty: Boolean = count + nulls == 0

  /** Bytes of the rows. */
  final def sizeInBytes: Long = 8L * (count + nulls) + keyBytes

  /** @param key null for null */
  final def add(key: K, id: Long): Unit =
    if (key == null) {
      nullIds = KeyBuffer.grown(nullIds, nulls + 1)
      nullIds(nulls) = id
      nulls += 1
    } else {
      ids = KeyBuffer.grown(ids, count + 1)
      ids(count) = id
      addKey(key)
      count += 1
    }

  /** Sorts by keys, and by row numbers if that is asked for. */
  final def sort(withIds: Boolean): Unit = {
    if (withIds) Arrays.sort(nullIds, 0, nulls)
    sortKeys(withIds)
  }

  /** Visits all rows, null keys first. */
  final def foreach(visit: (Option[K], Long) => Unit): Unit = {
    var i = 0
    while (i < nulls) { visit(None, nullIds(i)); i += 1 }
    i = 0
    while (i < count) { visit(Some(key(i)), id(i)); i += 1 }
  }

  /** Encodes all rows, and removes them: `i32 nulls | i32 keys | row numbers | keys`. */
  final def drain(): Array[Byte] = {
    val size = Math.toIntExact(8L + 8L * (count + nulls) + encodedKeyBytes)
    val out = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN)
    out.putInt(nulls).putInt(count)
    KeyBuffer.putLongs(out, nullIds, nulls)
    KeyBuffer.putLongs(out, ids, count)
    putKeys(out)
    clear()
    out.array
  }

  /** Adds rows that [[drain]] encoded. */
  final def addEncoded(bytes: Array[Byte]): Unit = {
    val in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
    val (moreNulls, more) = (in.getInt(), in.getInt())
    nullIds = KeyBuffer.grown(nullIds, nulls + moreNulls)
    KeyBuffer.getLongs(in, nullIds, nulls, moreNulls)
    nulls += moreNulls
    ids = KeyBuffer.grown(ids, count + more)
    KeyBuffer.getLongs(in, ids, count, more)
    getKeys(in, more)
    count += more
  }

  final def clear(): Unit = {
    nulls = 0
    clearKeys()
    count = 0
  }

  /** The key at a place of the order. */
  protected def key(i: Int): K
  protected def id(i: Int): Long
  protected def keyBytes: Long
  protected def encodedKeyBytes: Long
  protected def addKey(key: K): Unit
  protected def sortKeys(withIds: Boolean): Unit
  protected def putKeys(out: ByteBuffer): Unit
  protected def getKeys(in: ByteBuffer, n: Int): Unit
  protected def clearKeys(): Unit
}

private[sparklance] object KeyBuffer {
  private[build] val InitialRows = 256

  def ofNumbers: KeyBuffer[java.lang.Long] = new NumberBuffer
  def ofBytes: KeyBuffer[Array[Byte]] = new BytesBuffer

  private[build] def grown(array: Array[Long], needed: Int): Array[Long] =
    if (needed <= array.length) array else Arrays.copyOf(array, math.max(needed, array.length * 2))

  private def putLongs(out: ByteBuffer, values: Array[Long], n: Int): Unit = {
    out.asLongBuffer().put(values, 0, n)
    val _ = out.position(out.position() + 8 * n)
  }

  private def getLongs(in: ByteBuffer, values: Array[Long], at: Int, n: Int): Unit = {
    in.asLongBuffer().get(values, at, n)
    val _ = in.position(in.position() + 8 * n)
  }

  final private class NumberBuffer extends KeyBuffer[java.lang.Long] {
    private var keys = new Array[Long](InitialRows)

    protected def key(i: Int): java.lang.Long = Long.box(keys(i))
    protected def id(i: Int): Long = ids(i)
    protected def keyBytes: Long = 8L * count
    protected def encodedKeyBytes: Long = keyBytes
    protected def clearKeys(): Unit = ()
    protected def putKeys(out: ByteBuffer): Unit = putLongs(out, keys, count)

    protected def addKey(key: java.lang.Long): Unit = {
      keys = grown(keys, count + 1)
      keys(count) = key
    }

    protected def getKeys(in: ByteBuffer, n: Int): Unit = {
      keys = grown(keys, count + n)
      getLongs(in, keys, count, n)
    }

    protected def sortKeys(withIds: Boolean): Unit = {
      if (withIds) {
        val byId = new LongPairs(ids, keys)
        byId.sort(count)
        ids = byId.keys
        keys = byId.values
      }
      val byKey = new LongPairs(keys, ids)
      byKey.sort(count)
      keys = byKey.keys
      ids = byKey.values
    }
  }

  final private class BytesBuffer extends KeyBuffer[Array[Byte]] {
    private var bytes = new Array[Byte](4096)
    private var ends = new Array[Int](InitialRows)
    private var order = Option.empty[Array[Int]]

    protected def key(i: Int): Array[Byte] = {
      val at = place(i)
      Arrays.copyOfRange(bytes, start(at), ends(at))
    }
    protected def id(i: Int): Long = ids(place(i))
    protected def keyBytes: Long = 4L * count + start(count)
    protected def encodedKeyBytes: Long = keyBytes

    protected def addKey(key: Array[Byte]): Unit = {
      val from = start(count)
      reserve(count + 1, from.toLong + key.length)
      System.arraycopy(key, 0, bytes, from, key.length)
      ends(count) = from + key.length
    }

    protected def putKeys(out: ByteBuffer): Unit = {
      out.asIntBuffer().put(ends, 0, count)
      val _ = out.position(out.position() + 4 * count).put(bytes, 0, start(count))
    }

    protected def getKeys(in: ByteBuffer, n: Int): Unit = {
      val from = start(count)
      val size = in.remaining - 4 * n
      reserve(count + n, from.toLong + size)
      in.asIntBuffer().get(ends, count, n)
      val _ = in.position(in.position() + 4 * n).get(bytes, from, size)
      var i = count
      while (i < count + n) { ends(i) += from; i += 1 }
    }

    protected def clearKeys(): Unit = order = None

    protected def sortKeys(withIds: Boolean): Unit = {
      val starts = Array.tabulate(count)(start)
      order = Some(new ByteStringOrder(bytes, starts, ends, ids, withIds).sorted(count))
    }

    private def place(i: Int): Int = order.fold(i)(_(i))
    private def start(i: Int): Int = if (i == 0) 0 else ends(i - 1)

    private def reserve(rows: Int, size: Long): Unit = {
      if (rows > ends.length) ends = Arrays.copyOf(ends, math.max(rows, ends.length * 2))
      if (size > bytes.length)
        bytes = Arrays.copyOf(bytes, math.max(size, math.min(2L * bytes.length, Int.MaxValue - 8L)).toInt)
    }
  }
}
