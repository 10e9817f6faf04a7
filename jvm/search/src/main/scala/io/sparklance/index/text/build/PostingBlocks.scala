package io.sparklance.index.text.build

/** Encodes the blocks of posting lists, with the positions of their documents: see
  * [[io.sparklance.index.text.PostingDecoder]].
  *
  * @param block
  *   documents of a block
  */
final private[build] class PostingBlocks(block: Int) {
  private val lanes = block / 32
  private val packer = new BitPacker
  private val deltas = new Array[Int](block)
  private val group = new Array[Int](PostingBlocks.Group)

  /** Appends a block of `count` documents.
    *
    * @param score
    *   greatest score of its documents
    */
  def encode(documents: Array[Int], frequencies: Array[Int], from: Int, count: Int, score: Float, out: Bytes)
      : Unit = {
    if (block == 128) out.int(java.lang.Float.floatToRawIntBits(score))
    if (count == block) full(documents, frequencies, from, out)
    else last(documents, frequencies, from, count, out)
  }

  private def full(documents: Array[Int], frequencies: Array[Int], from: Int, out: Bytes): Unit = {
    out.int(documents(from))
    var (before, all) = (documents(from), 0)
    var i = 0
    while (i < block) {
      deltas(i) = documents(from + i) - before
      before = documents(from + i)
      all |= deltas(i)
      i += 1
    }
    packed(deltas, all, out)
    System.arraycopy(frequencies, from, deltas, 0, block)
    if (block == 256) patched(out)
    else {
      all = 0
      i = 0
      while (i < block) { all |= deltas(i); i += 1 }
      packed(deltas, all, out)
    }
  }

  private def packed(values: Array[Int], all: Int, out: Bytes): Unit = {
    val bits = PostingBlocks.bits(all)
    out.byte(bits)
    packer.pack(values, lanes, bits, out)
  }

  /** Packs the frequencies in `deltas` in few bits, with exceptions for those that need more. */
  private def patched(out: Bytes): Unit = {
    val width = patchedWidth()
    val mask = if (width == 32) -1 else (1 << width) - 1
    out.byte(width)
    val countAt = out.size
    out.byte(0)
    packer.pack(deltas.map(_ & mask), lanes, width, out)
    var exceptions = 0
    var i = 0
    while (i < block) {
      if (PostingBlocks.bits(deltas(i)) > width) {
        out.byte(i)
        out.varint((deltas(i) >>> width).toLong)
        exceptions += 1
      }
      i += 1
    }
    out.array(countAt) = exceptions.toByte
  }

  /** Returns the number of bits that takes the fewest bytes. */
  private def patchedWidth(): Int = {
    val most = deltas.foldLeft(0)((bits, value) => math.max(bits, PostingBlocks.bits(value)))
    var (best, cost) = (most, block * most / 8)
    var width = most - 1
    while (width >= 0) {
      val exceptions = deltas.filter(PostingBlocks.bits(_) > width)
      if (exceptions.length > PostingBlocks.MostExceptions) width = 0
      else {
        val bytes = block * width / 8 +
          exceptions.map(value => 1 + PostingBlocks.varintBytes(value >>> width)).sum
        if (bytes < cost) { best = width; cost = bytes }
      }
      width -= 1
    }
    best
  }

  private def last(
      documents: Array[Int],
      frequencies: Array[Int],
      from: Int,
      count: Int,
      out: Bytes
  ): Unit = {
    var before = 0
    var i = from
    while (i < from + count) {
      out.varint((documents(i) - before).toLong)
      before = documents(i)
      i += 1
    }
    i = from
    while (i < from + count) { out.varint(frequencies(i).toLong); i += 1 }
  }

  /** Appends the positions of the documents of a block.
    *
    * @param positions
    *   of all documents, one after the other, those of the first from `at` on
    */
  def positions(frequencies: Array[Int], from: Int, count: Int, positions: Array[Int], at: Int, out: Bytes)
      : Unit = {
    var (next, pending, all) = (at, 0, 0)
    var i = from
    while (i < from + count) {
      var before = 0
      val end = next + frequencies(i)
      while (next < end) {
        val delta = positions(next) - before
        before = positions(next)
        group(pending) = delta
        all |= delta
        pending += 1
        next += 1
        if (pending == PostingBlocks.Group) {
          val bits = PostingBlocks.bits(all)
          out.byte(bits)
          packer.pack(group, PostingBlocks.Group / 32, bits, out)
          pending = 0
          all = 0
        }
      }
      i += 1
    }
    i = 0
    while (i < pending) { out.varint(group(i).toLong); i += 1 }
  }
}

private[build] object PostingBlocks {

  /** Positions that are packed together. */
  final private val Group = 128
  final private val MostExceptions = 31

  private def bits(value: Int): Int = 32 - Integer.numberOfLeadingZeros(value)
  private def varintBytes(value: Int): Int = (math.max(1, bits(value)) + 6) / 7
}

/** Packs numbers of few bits in lanes: see [[io.sparklance.index.text.PostingDecoder]]. */
final private class BitPacker {
  private val words = new Array[Int](32 * 8)

  /** Packs 32 values for each lane. */
  def pack(values: Array[Int], lanes: Int, bits: Int, out: Bytes): Unit = if (bits > 0) {
    java.util.Arrays.fill(words, 0, lanes * bits, 0)
    var i = 0
    var at = 0
    while (at < 32 * bits) {
      val (word, shift) = (at >> 5, at & 31)
      var lane = 0
      while (lane < lanes) {
        val value = values(i)
        words(word * lanes + lane) |= value << shift
        if (shift + bits > 32) words((word + 1) * lanes + lane) |= value >>> (32 - shift)
        lane += 1
        i += 1
      }
      at += bits
    }
    i = 0
    while (i < lanes * bits) { out.int(words(i)); i += 1 }
  }
}

/** Describes blocks of a posting list, and groups of blocks, by pairs of a frequency and a length of
  * documents, which bound the scores: for each length that is short for its frequency, the greatest one.
  * {{{
  * varint last document · varint pairs · pairs: varint (frequency − before − 1) << 1 | e · [u8 length − before]
  * }}}
  * Lengths are codes of [[io.sparklance.index.text.Bm25]]. If `e` is 0, the code is one above that before.
  *
  * @param codes
  *   codes of the documents' lengths
  */
final private[build] class Impacts(codes: Array[Byte]) {
  private val frequencies = new Array[Int](256)
  private var (least, most) = (256, -1)

  def add(documents: Array[Int], counts: Array[Int], from: Int, count: Int): Unit = {
    var i = from
    while (i < from + count) {
      val code = codes(documents(i)) & 255
      if (counts(i) > frequencies(code)) frequencies(code) = counts(i)
      if (code < least) least = code
      if (code > most) most = code
      i += 1
    }
  }

  /** Appends the description of the added documents, and forgets them. */
  def drain(lastDocument: Int, out: Bytes): Unit = {
    out.varint(lastDocument.toLong)
    var (pairs, best) = (0, 0)
    var code = least
    while (code <= most) {
      if (frequencies(code) > best) { pairs += 1; best = frequencies(code) }
      code += 1
    }
    out.varint(pairs.toLong)
    var before = 0
    best = 0
    code = least
    while (code <= most) {
      if (frequencies(code) > best) {
        val step = code - before
        out.varint((frequencies(code) - best - 1).toLong << 1 | (if (step == 1) 0 else 1))
        if (step != 1) out.byte(step)
        before = code
        best = frequencies(code)
      }
      frequencies(code) = 0
      code += 1
    }
    least = 256
    most = -1
  }
}

private[build] object Impacts {

  /** Number of blocks of a group. */
  final val GroupBlocks = 32
}
