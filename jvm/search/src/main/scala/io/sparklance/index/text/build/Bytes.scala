package io.sparklance.index.text.build

import java.util.Arrays

import io.sparklance.data.LittleEndian

/** Bytes that grow. */
final private[build] class Bytes(capacity: Int = 256) {
  var array: Array[Byte] = new Array[Byte](capacity)
  var size: Int = 0

  def clear(): Unit = size = 0

  def byte(value: Int): Unit = {
    reserve(1)
    array(size) = value.toByte
    size += 1
  }

  def append(bytes: Array[Byte], from: Int, count: Int): Unit = {
    reserve(count)
    System.arraycopy(bytes, from, array, size, count)
    size += count
  }

  def int(value: Int): Unit = {
    reserve(4)
    LittleEndian.putInt(array, size, value)
    size += 4
  }

  def long(value: Long): Unit = {
    reserve(8)
    LittleEndian.putLong(array, size, value)
    size += 8
  }

  /** Appends the lowest `count` bytes of a number. */
  def low(value: Long, count: Int): Unit = {
    reserve(count)
    var i = 0
    while (i < count) { array(size + i) = (value >>> (8 * i)).toByte; i += 1 }
    size += count
  }

  /** Appends seven bits a byte, the lowest first. */
  def varint(value: Long): Unit = {
    reserve(10)
    var left = value
    while ((left & ~127L) != 0) {
      array(size) = (left | 128).toByte
      size += 1
      left >>>= 7
    }
    array(size) = left.toByte
    size += 1
  }

  /** Makes room for more bytes, which the caller writes; then it moves `size` on. */
  def reserve(count: Int): Unit = if (array.length - size < count)
    array = Arrays.copyOf(array, math.max(Math.addExact(size, count), grown))

  private def grown: Int = math.min(2L * array.length, Int.MaxValue - 16L).toInt
}

/** Whole numbers that grow. */
final private[build] class Ints {
  var array: Array[Int] = new Array[Int](64)
  var size: Int = 0

  def clear(): Unit = size = 0

  def add(value: Int): Unit = {
    if (size == array.length) array = Arrays.copyOf(array, Ints.grown(size))
    array(size) = value
    size += 1
  }
}

private[build] object Ints {
  def grown(size: Int): Int = math.min(2L * size, Int.MaxValue - 16L).toInt
}
