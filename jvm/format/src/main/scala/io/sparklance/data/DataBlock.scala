package io.sparklance.data

import java.util.Arrays

/** Values of one column. Decoders append to it, column vectors show it, encoders read it.
  *
  * A block grows at its end, keeps its arrays when cleared, and belongs to one thread. Values sit in
  * `[0, length)` of the arrays; the rest is slack. A null has a value slot like any other, with arbitrary
  * content.
  */
sealed abstract private[sparklance] class DataBlock {

  /** Number of values. */
  def length: Int

  /** Size of the values in bytes, without the arrays' slack. */
  def sizeInBytes: Long

  /** Drops all but the first `n` values. */
  def truncate(n: Int): Unit

  /** Copies values `[from, from + n)` down to `to`, which is at most `from`. Values before `to` are final:
    * the caller moves only values from `from` on again.
    */
  private[data] def moveDown(from: Int, to: Int, n: Int): Unit

  /** Zeroes every value whose null flag is set; empties it if it is a byte string. */
  def zeroNulls(nulls: Array[Boolean]): Unit

  final def clear(): Unit = truncate(0)

  /** Frees arrays of more than `most` bytes, left by a large value. Call only on empty blocks. */
  def release(most: Long): Unit

  /** Drops the first `n` values. */
  final def discardHead(n: Int): Unit = discard(0, n)

  /** Drops the values `[from, from + n)`. */
  final def discard(from: Int, n: Int): Unit = if (n > 0) {
    moveDown(from + n, from, length - from - n)
    truncate(length - n)
  }

  /** Appends `n` slots of arbitrary content for nulls. */
  def appendSlots(n: Int): Unit

  /** Keeps, among the first `of` values, those at the ascending `positions[0 until count]`, and all later
    * values.
    */
  final def retain(positions: Array[Int], count: Int, of: Int): Unit = if (count < of) {
    gatherDown(positions, count)
    val behind = length - of
    moveDown(of, count, behind)
    truncate(count + behind)
  }

  /** Copies the values at the ascending `positions[0 until count]` down to the head. */
  private[data] def gatherDown(positions: Array[Int], count: Int): Unit = {
    var i = 0
    while (i < count) {
      var end = i + 1
      while (end < count && positions(end) == positions(end - 1) + 1) end += 1
      if (positions(i) != i) moveDown(positions(i), i, end - i)
      i = end
    }
  }
}

private[sparklance] object DataBlock {
  def forShape(shape: ValueShape): DataBlock = shape match {
    case ValueShape.FixedWidth(1) | ValueShape.FixedWidth(8) => new Fixed8Block
    case ValueShape.FixedWidth(16) => new Fixed16Block
    case ValueShape.FixedWidth(32) => new Fixed32Block
    case ValueShape.FixedWidth(64) => new Fixed64Block
    case ValueShape.FixedWidth(bits) => new FixedBytesBlock(bits / 8)
    case ValueShape.VariableWidth(_) => new VariableBlock
    case ValueShape.FixedSizeList(dimension, items) => new FixedSizeListBlock(dimension, forShape(items))
    case ValueShape.Struct(fields) => new StructBlock(fields.map(Column.forShape))
  }

  /** Returns a capacity of at least `needed`, grown by half so that appends stay linear. */
  private[data] def grown(current: Int, needed: Int): Int =
    if (needed < 0) throw new OutOfMemoryError("a column batch of more than 2^31 values or bytes")
    else math.max(needed, math.min(Int.MaxValue - 8L, current + (current >> 1).toLong).toInt)
}

/** Fixed-width values in one array. */
sealed abstract private[sparklance] class FixedBlock extends DataBlock {
  private var count = 0
  final def length: Int = count

  /** Makes room for `n` more values and returns the index of the first; the caller fills them in. */
  final def extend(n: Int): Int = {
    val needed = count + n
    if (needed > capacity || needed < 0) grow(DataBlock.grown(capacity, needed))
    count = needed
    needed - n
  }
  final def truncate(n: Int): Unit = count = n
  final def appendSlots(n: Int): Unit = { val _ = extend(n) }

  final def zeroNulls(nulls: Array[Boolean]): Unit = {
    var i = 0
    while (i < count) {
      val from = i
      while (i < count && nulls(i)) i += 1
      if (i > from) zero(from, i)
      i += 1
    }
  }

  final def release(most: Long): Unit = if (heldBytes > most) grow(0)

  /** Bytes of the array, slack included. */
  protected def heldBytes: Long

  /** Overwrites the values `[from, to)` with zeroes. */
  protected def zero(from: Int, to: Int): Unit
  protected def capacity: Int
  protected def grow(to: Int): Unit
}

/** 8-bit values, and booleans as 0 or 1. */
final private[sparklance] class Fixed8Block extends FixedBlock {
  var values: Array[Byte] = new Array[Byte](64)
  def sizeInBytes: Long = length
  protected def heldBytes: Long = values.length
  def append(value: Byte): Unit = { val at = extend(1); values(at) = value }
  protected def capacity: Int = values.length
  protected def grow(to: Int): Unit = values = Arrays.copyOf(values, to)
  protected def zero(from: Int, to: Int): Unit = Arrays.fill(values, from, to, 0.toByte)
  private[data] def moveDown(from: Int, to: Int, n: Int): Unit = System.arraycopy(values, from, values, to, n)
  override private[data] def gatherDown(positions: Array[Int], count: Int): Unit = {
    val values = this.values
    var i = 0
    while (i < count) { values(i) = values(positions(i)); i += 1 }
  }
}

/** 16-bit values. */
final private[sparklance] class Fixed16Block extends FixedBlock {
  var values: Array[Short] = new Array[Short](64)
  def sizeInBytes: Long = 2L * length
  protected def heldBytes: Long = 2L * values.length
  def append(value: Short): Unit = { val at = extend(1); values(at) = value }
  protected def capacity: Int = values.length
  protected def grow(to: Int): Unit = values = Arrays.copyOf(values, to)
  protected def zero(from: Int, to: Int): Unit = Arrays.fill(values, from, to, 0.toShort)
  private[data] def moveDown(from: Int, to: Int, n: Int): Unit = System.arraycopy(values, from, values, to, n)
  override private[data] def gatherDown(positions: Array[Int], count: Int): Unit = {
    val values = this.values
    var i = 0
    while (i < count) { values(i) = values(positions(i)); i += 1 }
  }
}

/** 32-bit values; floats as their bits. */
final private[sparklance] class Fixed32Block extends FixedBlock {
  var values: Array[Int] = new Array[Int](64)
  def sizeInBytes: Long = 4L * length
  protected def heldBytes: Long = 4L * values.length
  def append(value: Int): Unit = { val at = extend(1); values(at) = value }
  protected def capacity: Int = values.length
  protected def grow(to: Int): Unit = values = Arrays.copyOf(values, to)
  protected def zero(from: Int, to: Int): Unit = Arrays.fill(values, from, to, 0)
  private[data] def moveDown(from: Int, to: Int, n: Int): Unit = System.arraycopy(values, from, values, to, n)
  override private[data] def gatherDown(positions: Array[Int], count: Int): Unit = {
    val values = this.values
    var i = 0
    while (i < count) { values(i) = values(positions(i)); i += 1 }
  }
}

/** 64-bit values; doubles as their bits. */
final private[sparklance] class Fixed64Block extends FixedBlock {
  var values: Array[Long] = new Array[Long](64)
  def sizeInBytes: Long = 8L * length
  protected def heldBytes: Long = 8L * values.length
  def append(value: Long): Unit = { val at = extend(1); values(at) = value }
  protected def capacity: Int = values.length
  protected def grow(to: Int): Unit = values = Arrays.copyOf(values, to)
  protected def zero(from: Int, to: Int): Unit = Arrays.fill(values, from, to, 0L)
  private[data] def moveDown(from: Int, to: Int, n: Int): Unit = System.arraycopy(values, from, values, to, n)
  override private[data] def gatherDown(positions: Array[Int], count: Int): Unit = {
    val values = this.values
    var i = 0
    while (i < count) { values(i) = values(positions(i)); i += 1 }
  }
}

/** Values of `width` bytes each, back to back: decimals, fixed-size binary. Value i starts at byte
  * `i * width`.
  */
final private[sparklance] class FixedBytesBlock(val width: Int) extends FixedBlock {
  var bytes: Array[Byte] = new Array[Byte](if (width <= 64) 16 * width else 0)
  def sizeInBytes: Long = length.toLong * width
  protected def heldBytes: Long = bytes.length
  protected def capacity: Int = if (width == 0) Int.MaxValue else bytes.length / width
  protected def grow(to: Int): Unit =
    bytes = Arrays.copyOf(bytes, math.min(to.toLong * width, (Int.MaxValue - 8) / width * width.toLong).toInt)
  protected def zero(from: Int, to: Int): Unit = Arrays.fill(bytes, from * width, to * width, 0.toByte)
  private[data] def moveDown(from: Int, to: Int, n: Int): Unit =
    System.arraycopy(bytes, from * width, bytes, to * width, n * width)
  override private[data] def gatherDown(positions: Array[Int], count: Int): Unit =
    if (width != 16) super.gatherDown(positions, count)
    else {
      val bytes = this.bytes
      var i = 0
      while (i < count) {
        val from = 16 * positions(i)
        LittleEndian.putLong(bytes, 16 * i, LittleEndian.long(bytes, from))
        LittleEndian.putLong(bytes, 16 * i + 8, LittleEndian.long(bytes, from + 8))
        i += 1
      }
    }
}

/** Byte strings: value i is `bytes[offsets(i), offsets(i + 1))`; `offsets(0)` is 0. */
final private[sparklance] class VariableBlock extends DataBlock {
  var offsets: Array[Int] = new Array[Int](65)
  var bytes: Array[Byte] = new Array[Byte](1024)
  private var count = 0

  def length: Int = count

  /** Number of bytes in use. */
  def byteLength: Int = offsets(count)
  def sizeInBytes: Long = byteLength + 4L * count

  def release(most: Long): Unit = {
    if (bytes.length > most) bytes = Array.emptyByteArray
    if (4L * offsets.length > most) offsets = new Array[Int](1)
  }

  /** Makes room for `n` more values and `size` more bytes. The caller fills the bytes from `byteLength` on
    * and `offsets(length + 1 ..)`, and then calls [[advance]].
    */
  def reserve(n: Int, size: Int): Unit = {
    val slots = count + n + 1
    if (slots > offsets.length || slots < 0)
      offsets = Arrays.copyOf(offsets, DataBlock.grown(offsets.length, slots))
    val needed = byteLength + size
    if (needed > bytes.length || needed < 0)
      bytes = Arrays.copyOf(bytes, DataBlock.grown(bytes.length, needed))
  }
  def advance(n: Int): Unit = count += n

  def appendSlots(n: Int): Unit = {
    reserve(n, 0)
    Arrays.fill(offsets, count + 1, count + n + 1, offsets(count))
    count += n
  }

  def append(source: Array[Byte], from: Int, size: Int): Unit = {
    reserve(1, size)
    System.arraycopy(source, from, bytes, offsets(count), size)
    offsets(count + 1) = offsets(count) + size
    count += 1
  }

  def zeroNulls(nulls: Array[Boolean]): Unit = {
    var start = 0
    var kept = 0
    var i = 0
    while (i < count) {
      val end = offsets(i + 1)
      if (!nulls(i)) {
        if (kept != start) System.arraycopy(bytes, start, bytes, kept, end - start)
        kept += end - start
      }
      offsets(i + 1) = kept
      start = end
      i += 1
    }
  }

  def truncate(n: Int): Unit = count = n

  private[data] def moveDown(from: Int, to: Int, n: Int): Unit = {
    val shift = offsets(from) - offsets(to)
    System.arraycopy(bytes, offsets(from), bytes, offsets(to), offsets(from + n) - offsets(from))
    var i = 0
    while (i < n) {
      // The end of the previous value stays; ends are rewritten in order, each after it is read.
      offsets(to + i + 1) = offsets(from + i + 1) - shift
      i += 1
    }
  }
}

/** Lists of `dimension` items each; `items` holds `length * dimension` of them. */
final private[sparklance] class FixedSizeListBlock(val dimension: Int, val items: DataBlock)
    extends DataBlock {

  /** Nulls among the items. */
  val itemNulls: NullMask = new NullMask
  private var count = 0

  def length: Int = count
  def sizeInBytes: Long = items.sizeInBytes

  def release(most: Long): Unit = {
    items.release(most)
    itemNulls.release(most)
  }

  /** Called after `n * dimension` items, and their nulls if any, were appended. */
  def advance(n: Int): Unit = {
    count += n
    itemNulls.padTo(count * dimension)
  }

  def appendSlots(n: Int): Unit = {
    items.appendSlots(Math.multiplyExact(n, dimension))
    advance(n)
  }

  def zeroNulls(nulls: Array[Boolean]): Unit = {
    val itemsToo = new Array[Boolean](count * dimension)
    var i = 0
    while (i < count) {
      if (nulls(i)) Arrays.fill(itemsToo, i * dimension, (i + 1) * dimension, true)
      i += 1
    }
    items.zeroNulls(itemsToo)
  }

  def truncate(n: Int): Unit = {
    items.truncate(n * dimension)
    itemNulls.truncate(n * dimension)
    count = n
  }

  private[data] def moveDown(from: Int, to: Int, n: Int): Unit = {
    items.moveDown(from * dimension, to * dimension, n * dimension)
    itemNulls.moveDown(from * dimension, to * dimension, n * dimension)
  }
}

/** Values composed of the values of other columns. */
sealed abstract private[sparklance] class NestedBlock extends DataBlock

/** Structs: value i is value i of each of `children`. Slots below a null struct have arbitrary content. */
final private[sparklance] class StructBlock(val children: Vector[Column]) extends NestedBlock {
  private var count = 0

  def length: Int = count
  def sizeInBytes: Long = children.foldLeft(0L)(_ + _.values.sizeInBytes)
  def release(most: Long): Unit = children.foreach(_.release(most))

  /** Called after `n` values were appended to each child. */
  def advance(n: Int): Unit = count += n

  def appendSlots(n: Int): Unit = {
    children.foreach(_.appendNulls(n))
    advance(n)
  }

  def zeroNulls(nulls: Array[Boolean]): Unit = children.foreach(_.values.zeroNulls(nulls))

  def truncate(n: Int): Unit = {
    children.foreach(_.truncate(n))
    count = n
  }

  private[data] def moveDown(from: Int, to: Int, n: Int): Unit = children.foreach(_.moveDown(from, to, n))
}

/** Lists: value i is `items[offsets(i), offsets(i + 1))`; `offsets(0)` is 0. A map is a list of structs of a
  * key and a value.
  */
final private[sparklance] class ListBlock(val items: Column) extends NestedBlock {
  var offsets: Array[Int] = new Array[Int](65)
  private var count = 0

  def length: Int = count
  def sizeInBytes: Long = items.values.sizeInBytes + 4L * count

  def release(most: Long): Unit = {
    items.release(most)
    if (4L * offsets.length > most) offsets = new Array[Int](1)
  }

  /** Number of items of all lists. */
  def itemCount: Int = offsets(count)

  /** Makes room for `n` more lists. The caller fills `offsets(length + 1 ..)`, appends the items, and then
    * calls [[advance]].
    */
  def reserve(n: Int): Unit = {
    val slots = count + n + 1
    if (slots > offsets.length || slots < 0)
      offsets = Arrays.copyOf(offsets, DataBlock.grown(offsets.length, slots))
  }
  def advance(n: Int): Unit = count += n

  /** Appends a list of all items that were appended since the end of the last list. */
  def endList(): Unit = {
    reserve(1)
    offsets(count + 1) = items.length
    count += 1
  }

  /** Appends empty lists. */
  def appendSlots(n: Int): Unit = {
    reserve(n)
    Arrays.fill(offsets, count + 1, count + n + 1, offsets(count))
    count += n
  }

  /** Makes null lists empty. */
  def zeroNulls(nulls: Array[Boolean]): Unit = {
    var start = 0
    var kept = 0
    var i = 0
    while (i < count) {
      val end = offsets(i + 1)
      if (!nulls(i)) {
        if (kept != start) items.moveDown(start, kept, end - start)
        kept += end - start
      }
      offsets(i + 1) = kept
      start = end
      i += 1
    }
    items.truncate(kept)
  }

  def truncate(n: Int): Unit = {
    count = n
    items.truncate(offsets(n))
  }

  private[data] def moveDown(from: Int, to: Int, n: Int): Unit = {
    val shift = offsets(from) - offsets(to)
    items.moveDown(offsets(from), offsets(to), offsets(from + n) - offsets(from))
    var i = 0
    while (i < n) {
      // The end of the previous list stays; ends are rewritten in order, each after it is read.
      offsets(to + i + 1) = offsets(from + i + 1) - shift
      i += 1
    }
  }
}
