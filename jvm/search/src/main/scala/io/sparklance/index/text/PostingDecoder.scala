package io.sparklance.index.text

import io.sparklance.LanceFormatException
import io.sparklance.data.Slice

/** Decodes the blocks of a posting list:
  * {{{
  * block of 128   f32 best score · body            block of 256   body
  * full body      u32 first document · u8 bits · deltas · frequencies
  * frequencies    128: u8 bits · packed            256: u8 bits · u8 exceptions · packed · exceptions
  * exception      u8 place · varint value above the bits
  * last body      documents · frequencies: varint, documents as deltas; or u32
  * }}}
  * Packed values are in 4 (8) lanes of 32 values: value `i` is the `i / lanes`-th of lane `i % lanes`, whose
  * words are every `lanes`-th of the bytes, lowest bits first.
  */
final private[text] class PostingDecoder(form: PostingForm) {
  private val lanes = form.block / 32
  private val values = new Array[Int](form.block)
  private val unpacker = new BitUnpacker

  /** @param count
    *   recorded number of documents
    * @param documents
    *   number of documents of the partition
    */
  def postings(count: Int, documents: Int, blocks: Int => Slice): Postings = {
    val (found, frequencies) = (new Array[Int](count), new Array[Int](count))
    var from = 0
    var block = 0
    while (from < count) {
      val some = math.min(form.block, count - from)
      val bytes = new ByteCursor(blocks(block))
      if (form.block == 128) bytes.skip(4)
      if (some == form.block) full(bytes, found, frequencies, from)
      else if (form.isVarint) varint(bytes, found, frequencies, from, some)
      else fixed(bytes, found, frequencies, from, some)
      from += some
      block += 1
    }
    check(found, frequencies, documents)
    new Postings(found, frequencies)
  }

  private def check(found: Array[Int], frequencies: Array[Int], documents: Int): Unit = {
    var before = -1
    var i = 0
    while (i < found.length) {
      if (found(i) <= before || found(i) >= documents || frequencies(i) <= 0)
        throw new LanceFormatException(
          s"a posting list has document ${found(i)} after $before of $documents, ${frequencies(i)} times"
        )
      before = found(i)
      i += 1
    }
  }

  private def full(bytes: ByteCursor, found: Array[Int], frequencies: Array[Int], from: Int): Unit = {
    var document = bytes.int()
    unpacker.unpack(bytes, bytes.byte(), lanes, values)
    var i = 0
    while (i < form.block) { document += values(i); found(from + i) = document; i += 1 }
    val bits = bytes.byte()
    val exceptions = if (form.block == 256) bytes.byte() else 0
    unpacker.unpack(bytes, bits, lanes, values)
    i = 0
    while (i < exceptions) {
      val at = bytes.byte()
      val high = bytes.varint()
      if (bits < 32) values(at) |= high << bits
      i += 1
    }
    System.arraycopy(values, 0, frequencies, from, form.block)
  }

  private def varint(
      bytes: ByteCursor,
      found: Array[Int],
      frequencies: Array[Int],
      from: Int,
      count: Int
  ): Unit = {
    var document = 0
    var i = 0
    while (i < count) { document += bytes.varint(); found(from + i) = document; i += 1 }
    i = 0
    while (i < count) { frequencies(from + i) = bytes.varint(); i += 1 }
  }

  private def fixed(
      bytes: ByteCursor,
      found: Array[Int],
      frequencies: Array[Int],
      from: Int,
      count: Int
  ): Unit = {
    var i = 0
    while (i < count) { found(from + i) = bytes.int(); i += 1 }
    i = 0
    while (i < count) { frequencies(from + i) = bytes.int(); i += 1 }
  }

  /** Decodes the positions of all documents of a list, one chunk for each block: deltas that start again with
    * each document, in groups of 128 (`u8 bits`, packed in 4 lanes), the last ones varints.
    */
  def places(postings: Postings, chunks: Int => Slice): Places = {
    val starts = Bounds.of(postings)
    val out = new Array[Int](starts(postings.size))
    val group = new Array[Int](128)
    var from = 0
    var block = 0
    while (from < postings.size) {
      val until = math.min(from + form.block, postings.size)
      val bytes = new ByteCursor(chunks(block))
      var at = starts(from)
      val end = starts(until)
      while (form.packsPositions && end - at >= 128) {
        unpacker.unpack(bytes, bytes.byte(), 4, group)
        System.arraycopy(group, 0, out, at, 128)
        at += 128
      }
      while (at < end) { out(at) = bytes.varint(); at += 1 }
      from = until
      block += 1
    }
    var i = 0
    while (i < postings.size) { sum(out, starts(i), starts(i + 1)); i += 1 }
    new Places(starts, out)
  }

  private def sum(values: Array[Int], from: Int, until: Int): Unit = {
    var i = from + 1
    while (i < until) { values(i) += values(i - 1); i += 1 }
  }

  /** Decodes the positions of format 1: for each document, u32 count; full groups of 128 as `u32 first`,
    * `u8 bits`, deltas in 4 lanes; and the rest as u32.
    */
  def placesByDocument(postings: Postings, parts: Int => Vector[Slice]): Places = {
    val starts = Bounds.of(postings)
    val out = new Array[Int](starts(postings.size))
    val group = new Array[Int](128)
    var i = 0
    while (i < postings.size) {
      val own = parts(i)
      if (own.isEmpty || own.head.int(0) != postings.frequencies(i))
        throw new LanceFormatException("the positions of a document are not as many as its tokens")
      var at = starts(i)
      var part = 0
      while (at < starts(i + 1)) {
        val bytes = part match {
          case 0 if own.size == 1 || own.head.length > 4 =>
            val cursor = new ByteCursor(own.head)
            cursor.skip(4)
            cursor
          case 0 =>
            part = 1
            new ByteCursor(own(1))
          case n if n < own.size => new ByteCursor(own(n))
          case _ => throw new LanceFormatException("the positions of a document end too early")
        }
        if (starts(i + 1) - at >= 128) {
          var place = bytes.int()
          unpacker.unpack(bytes, bytes.byte(), 4, group)
          var k = 0
          while (k < 128) { place += group(k); out(at + k) = place; k += 1 }
          at += 128
        } else while (at < starts(i + 1)) { out(at) = bytes.int(); at += 1 }
        part += 1
      }
      i += 1
    }
    new Places(starts, out)
  }
}

private object Bounds {
  final private val MaxPlaces = 1L << 28

  /** Returns where the places of each document begin. */
  def of(postings: Postings): Array[Int] = {
    val starts = new Array[Int](postings.size + 1)
    var sum = 0L
    var i = 0
    while (i < postings.size) {
      sum += postings.frequencies(i)
      if (sum > MaxPlaces)
        throw new LanceFormatException(s"a posting list with more than $MaxPlaces positions")
      starts(i + 1) = sum.toInt
      i += 1
    }
    starts
  }
}

/** Reads numbers one after the other. */
final private[text] class ByteCursor(bytes: Slice) {
  private var at = 0

  def skip(count: Int): Unit = at += count
  def byte(): Int = { at += 1; bytes.unsignedByte(at - 1) }
  def int(): Int = { at += 4; bytes.int(at - 4) }

  def varint(): Int = {
    var value = 0
    var shift = 0
    var next = byte()
    while (next >= 128) {
      value |= (next & 127) << shift
      shift += 7
      if (shift > 28) throw new LanceFormatException("a number of a posting list with more than 32 bits")
      next = byte()
    }
    value | next << shift
  }
}

/** Unpacks numbers of few bits in lanes. Belongs to one thread. */
final private class BitUnpacker {
  private val words = new Array[Int](32 * 8)

  /** Unpacks 32 values of `bits` bits for each lane. */
  def unpack(bytes: ByteCursor, bits: Int, lanes: Int, out: Array[Int]): Unit =
    if (bits == 0) java.util.Arrays.fill(out, 0, 32 * lanes, 0)
    else if (bits > 32) throw new LanceFormatException(s"a posting list with numbers of $bits bits")
    else {
      var w = 0
      while (w < bits * lanes) { words(w) = bytes.int(); w += 1 }
      val mask = if (bits == 32) -1 else (1 << bits) - 1
      var (i, at) = (0, 0)
      while (at < 32 * bits) {
        val (first, shift) = ((at >> 5) * lanes, at & 31)
        var lane = 0
        while (lane < lanes) {
          val low = words(first + lane) >>> shift
          val high = if (shift + bits > 32) words(first + lanes + lane) << (32 - shift) else 0
          out(i) = (low | high) & mask
          lane += 1
          i += 1
        }
        at += bits
      }
    }
}
