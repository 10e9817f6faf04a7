package io.sparklance.dataset.erasure

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.util.Arrays

import scala.collection.mutable

import io.sparklance.data.ByteRange
import io.sparklance.io.ReadableFile

/** Texts and binary values that are sought in files: as whole values, or anywhere in their bytes.
  *
  * @param texts
  *   bytes as characters of ISO 8859-1
  */
final private[sparklance] class SoughtTexts(val texts: Set[String]) extends Serializable {
  import SoughtTexts._

  def isEmpty: Boolean = texts.isEmpty

  /** Heads of the texts by their first four bytes. Short texts occur everywhere, and are not sought in bytes.
    */
  @transient private lazy val heads: Map[Int, Vector[Array[Byte]]] =
    texts.toVector.filter(_.length >= Shortest).map(_.take(Longest).getBytes(ISO_8859_1)).groupBy(word(_, 0))

  /** Tells at most places that no head begins there. */
  @transient private lazy val mayBegin: Array[Boolean] = {
    val flags = new Array[Boolean](1 << 16)
    heads.keys.foreach(head => flags(folded(head)) = true)
    flags
  }

  /** Whether a value is one of the texts. */
  def has(bytes: Array[Byte], from: Int, until: Int): Boolean =
    texts(new String(bytes, from, until - from, ISO_8859_1))

  /** Returns the texts that begin in some bytes, as characters. */
  def in(bytes: Array[Byte], length: Int): Set[String] = {
    val found = mutable.Set.empty[String]
    val mayBegin = this.mayBegin
    var i = 0
    while (i <= length - Shortest) {
      val next = word(bytes, i)
      if (mayBegin(folded(next)))
        found ++= heads.getOrElse(
          next,
          Vector.empty
        ).filter(begins(_, bytes, i, length)).map(new String(_, ISO_8859_1))
      i += 1
    }
    found.toSet
  }

  /** Whether one of the texts is in a file. */
  def isIn(file: ReadableFile): Boolean = {
    var at = 0L
    var isFound = false
    while (!isFound && at < file.size) {
      val length = math.min(Step.toLong + Longest, file.size - at).toInt
      val bytes = new Array[Byte](length)
      file.read(ByteRange(at, length.toLong), bytes, 0)
      isFound = in(bytes, length).nonEmpty
      at += Step
    }
    isFound
  }

  /** Returns the texts without those of which the head is in some bytes. */
  def without(bytes: Array[Byte]): SoughtTexts = {
    val there = in(bytes, bytes.length)
    if (there.isEmpty) this else new SoughtTexts(texts.filterNot(text => there(text.take(Longest))))
  }
}

private[sparklance] object SoughtTexts {

  /** Length in bytes of the shortest text that is sought in bytes. */
  final val Shortest = 4

  /** Bytes of a text that are compared; statistics hold no more. */
  final private val Longest = 32
  final private val Step = 4 << 20

  private def begins(head: Array[Byte], bytes: Array[Byte], at: Int, length: Int): Boolean =
    at + head.length <= length && Arrays.equals(bytes, at, at + head.length, head, 0, head.length)

  private def folded(word: Int): Int = (word ^ word >>> 16) & 0xffff

  private def word(
      bytes: Array[Byte],
      at: Int
  ): Int = (bytes(at) & 0xff) << 24 | (bytes(at + 1) & 0xff) << 16 | (bytes(at + 2) & 0xff) << 8 |
    bytes(at + 3) & 0xff
}
