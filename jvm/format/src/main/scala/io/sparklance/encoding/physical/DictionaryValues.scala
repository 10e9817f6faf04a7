package io.sparklance.encoding.physical

import io.sparklance.data.{
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBytesBlock,
  FixedSizeListBlock,
  LittleEndian,
  NestedBlock,
  NullMask,
  VariableBlock
}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Looks up values by their positions in a page's dictionary. Positions are unsigned, and valid even under
  * nulls.
  */
private[sparklance] object DictionaryValues {

  /** Strings up to this size are copied as the number of words that the longest needs; the next string
    * overwrites the surplus. That costs less than a call for each string.
    */
  final private val ShortItem = 32
  final private val MaxShortItems = 1 << 20

  /** Appends `items(indices(i))` for each i in `[from, from + count)`. */
  def gather(indices: DataBlock, from: Int, count: Int, items: DataBlock, out: DataBlock): Unit =
    indices match {
      case block: Fixed32Block => gatherChecked(block.values, from, count, items, out)
      case _ => gatherChecked(widened(indices, from, count), 0, count, items, out)
    }

  /** Appends the nulls of the gathered values: null positions, and positions of null items. */
  def appendNulls(positions: DataBlock, missing: NullMask, items: NullMask, nulls: NullMask): Unit =
    if (!missing.hasNulls && !items.hasNulls) nulls.appendValid(positions.length)
    else {
      val words = new Array[Long](positions.length)
      val _ = Widths.widen(positions, 0, words.length, words)
      val levels = new Array[Short](words.length)
      var i = 0
      while (i < words.length) {
        levels(i) = if (missing.isNull(i) || items.isNull(words(i).toInt)) 1 else 0
        i += 1
      }
      nulls.appendLevels(levels, 0, levels.length)
    }

  private def gatherChecked(at: Array[Int], from: Int, n: Int, items: DataBlock, out: DataBlock): Unit = {
    check(at, from, n, items.length)
    (items, out) match {
      case (i: Fixed8Block, o: Fixed8Block) =>
        val to = o.extend(n); gather8(at, from, n, i.values, o.values, to)
      case (i: Fixed16Block, o: Fixed16Block) =>
        val to = o.extend(n); gather16(at, from, n, i.values, o.values, to)
      case (i: Fixed32Block, o: Fixed32Block) =>
        val to = o.extend(n); gather32(at, from, n, i.values, o.values, to)
      case (i: Fixed64Block, o: Fixed64Block) =>
        val to = o.extend(n); gather64(at, from, n, i.values, o.values, to)
      case (i: FixedBytesBlock, o: FixedBytesBlock) if i.width == o.width =>
        val to = o.extend(n)
        if (i.width == 16) gather128(at, from, n, i.bytes, o.bytes, to)
        else gatherBytes(at, from, n, i.bytes, o.bytes, to, i.width)
      case (i: VariableBlock, o: VariableBlock) =>
        val most = longest(at, from, n, i.offsets)
        if (most <= ShortItem && n <= MaxShortItems) {
          val words = (most + 7) / 8
          i.reserve(0, ShortItem)
          o.reserve(n, n * ShortItem)
          gatherShort(at, from, n, i.bytes, i.offsets, words, o.bytes, o.offsets, o.length)
        } else {
          o.reserve(n, totalSize(at, from, n, i.offsets))
          gatherVariable(at, from, n, i.bytes, i.offsets, o.bytes, o.offsets, o.length)
        }
        o.advance(n)
      case (_: FixedSizeListBlock | _: NestedBlock, _) =>
        throw new UnsupportedLanceFeatureException("a dictionary of fixed-size lists")
      case (i, o) =>
        throw new LanceFormatException(
          s"a dictionary of ${i.getClass.getSimpleName} in a column of ${o.getClass.getSimpleName}"
        )
    }
  }

  private def check(at: Array[Int], from: Int, n: Int, size: Int): Unit = {
    // Seen as unsigned, an index is too large if it is negative or not below the size: either sets a sign
    // bit.
    var bad = 0
    var i = from
    while (i < from + n) {
      bad |= at(i) | (size - 1 - at(i))
      i += 1
    }
    if (bad < 0) throw new LanceFormatException(s"an index beyond a dictionary of $size items")
  }

  private def widened(indices: DataBlock, from: Int, n: Int): Array[Int] = {
    val out = new Array[Int](n)
    var i = 0
    indices match {
      case b: Fixed8Block => while (i < n) { out(i) = b.values(from + i) & 0xff; i += 1 }
      case b: Fixed16Block => while (i < n) { out(i) = b.values(from + i) & 0xffff; i += 1 }
      case b: Fixed64Block =>
        // A position beyond an int becomes -1, which is invalid in every dictionary.
        while (i < n) {
          val v = b.values(from + i)
          out(i) = if (v.toInt == v) v.toInt else -1
          i += 1
        }
      case other =>
        throw new LanceFormatException(s"${other.getClass.getSimpleName} as indices of a dictionary")
    }
    out
  }

  private def gather8(
      at: Array[Int],
      from: Int,
      n: Int,
      items: Array[Byte],
      out: Array[Byte],
      to: Int
  ): Unit = {
    var i = 0
    while (i < n) { out(to + i) = items(at(from + i)); i += 1 }
  }

  private def gather16(
      at: Array[Int],
      from: Int,
      n: Int,
      items: Array[Short],
      out: Array[Short],
      to: Int
  ): Unit = {
    var i = 0
    while (i < n) { out(to + i) = items(at(from + i)); i += 1 }
  }

  private def gather32(
      at: Array[Int],
      from: Int,
      n: Int,
      items: Array[Int],
      out: Array[Int],
      to: Int
  ): Unit = {
    var i = 0
    while (i < n) { out(to + i) = items(at(from + i)); i += 1 }
  }

  private def gather64(
      at: Array[Int],
      from: Int,
      n: Int,
      items: Array[Long],
      out: Array[Long],
      to: Int
  ): Unit = {
    var i = 0
    while (i < n) { out(to + i) = items(at(from + i)); i += 1 }
  }

  private def gather128(
      at: Array[Int],
      from: Int,
      n: Int,
      items: Array[Byte],
      out: Array[Byte],
      to: Int
  ): Unit = {
    var i = 0
    while (i < n) {
      copy8(items, at(from + i) * 16, out, (to + i) * 16)
      copy8(items, at(from + i) * 16 + 8, out, (to + i) * 16 + 8)
      i += 1
    }
  }

  private def gatherBytes(
      at: Array[Int],
      from: Int,
      n: Int,
      items: Array[Byte],
      out: Array[Byte],
      to: Int,
      width: Int
  ): Unit = {
    var i = 0
    while (i < n) {
      System.arraycopy(items, at(from + i) * width, out, (to + i) * width, width)
      i += 1
    }
  }

  private def longest(at: Array[Int], from: Int, n: Int, offsets: Array[Int]): Int = {
    var most = 0
    var i = from
    while (i < from + n) {
      most = math.max(most, offsets(at(i) + 1) - offsets(at(i)))
      i += 1
    }
    most
  }

  private def totalSize(at: Array[Int], from: Int, n: Int, offsets: Array[Int]): Int = {
    var size = 0L
    var i = from
    while (i < from + n) {
      size += offsets(at(i) + 1) - offsets(at(i))
      i += 1
    }
    if (size > Int.MaxValue - 8)
      throw new UnsupportedLanceFeatureException(s"a chunk whose dictionary makes $size bytes of $n values")
    size.toInt
  }

  /** @param words 8-byte words of the longest string, at most 4 */
  private def gatherShort(
      at: Array[Int],
      from: Int,
      n: Int,
      items: Array[Byte],
      itemOffsets: Array[Int],
      words: Int,
      out: Array[Byte],
      offsets: Array[Int],
      slot: Int
  ): Unit = {
    var op = offsets(slot)
    var i = 0
    while (i < n) {
      val item = at(from + i)
      val start = itemOffsets(item)
      copy8(items, start, out, op)
      if (words > 1) copy8(items, start + 8, out, op + 8)
      if (words > 2) copy8(items, start + 16, out, op + 16)
      if (words > 3) copy8(items, start + 24, out, op + 24)
      op += itemOffsets(item + 1) - start
      offsets(slot + i + 1) = op
      i += 1
    }
  }

  private def copy8(in: Array[Byte], from: Int, out: Array[Byte], to: Int): Unit = {
    val word: Long = LittleEndian.LONG.get(in, from)
    LittleEndian.LONG.set(out, to, word)
  }

  private def gatherVariable(
      at: Array[Int],
      from: Int,
      n: Int,
      items: Array[Byte],
      itemOffsets: Array[Int],
      out: Array[Byte],
      offsets: Array[Int],
      slot: Int
  ): Unit = {
    var op = offsets(slot)
    var i = 0
    while (i < n) {
      val start = itemOffsets(at(from + i))
      val size = itemOffsets(at(from + i) + 1) - start
      System.arraycopy(items, start, out, op, size)
      op += size
      offsets(slot + i + 1) = op
      i += 1
    }
  }
}
