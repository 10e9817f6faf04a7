package io.sparklance.fuzz

import scala.util.Random

/** Numbers and bytes that are likely to be handled wrongly. */
object Numbers {
  private val Corners: Vector[Long] =
    Vector(0L, 1L, -1L) ++ Vector(7, 8, 15, 16, 31, 32, 47, 62, 63).flatMap(bits =>
      Vector((1L << bits) - 1, 1L << bits, (1L << bits) + 1)
    )

  /** Some number that has to do with `old`, or is a corner of a type. */
  def other(old: Long, random: Random): Long = random.nextInt(8) match {
    case 0 => old + 1
    case 1 => old - 1
    case 2 => old * 2
    case 3 => old / 2
    case 4 => old ^ 1L << random.nextInt(64)
    case 5 => random.nextInt(300).toLong
    case 6 => -old
    case _ => Corners(random.nextInt(Corners.size))
  }

  def bytes(random: Random, n: Int): Array[Byte] = {
    val bytes = new Array[Byte](n)
    random.nextBytes(bytes)
    bytes
  }

  /** `bytes` with one of them changed. */
  def flip(bytes: Array[Byte], random: Random): Array[Byte] =
    if (bytes.isEmpty) bytes
    else {
      val at = random.nextInt(bytes.length)
      bytes.updated(at, (bytes(at) ^ 1 + random.nextInt(255)).toByte)
    }

  /** The `size` little-endian bytes of `value` written over those at `at`. */
  def written(
      bytes: Array[Byte],
      at: Int,
      size: Int,
      value: Long
  ): Array[Byte] = (0 until size).foldLeft(bytes)((out, i) => out.updated(at + i, (value >>> 8 * i).toByte))

  def read(bytes: Array[Byte], at: Int, size: Int): Long = (0 until size).foldRight(0L)((i, high) =>
    high << 8 | bytes(at + i) & 0xff
  )
}
