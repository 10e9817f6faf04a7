package io.sparklance.table.deletion

import java.nio.ByteBuffer

import org.roaringbitmap.RoaringBitmap

import io.sparklance.LanceFormatException
import io.sparklance.data.Slice

/** A deletion file of kind [[DeletionFileKind.Bitmap]]: one bitmap in Roaring's portable form.
  * {{{
  *   u32 12346 | u32 containers                                     without run containers
  *   u16 12347 | u16 containers - 1 | a bit for each: is it a run?  with them
  *   u16 key, u16 cardinality - 1    of each container; keys ascend and are the upper halves of the offsets
  *   u32 place                       of each container; absent with runs if there are fewer than 4. Not needed
  *   the containers, which hold the lower halves:
  *     run: u16 runs, then u16 start, u16 length - 1 | up to 4096 values: u16 each | else: 8192 bytes of bits
  * }}}
  * See https://github.com/RoaringBitmap/RoaringFormatSpec. The library trusts its input, and searches by the
  * order of keys, values and runs, so all of these are checked first.
  */
private[sparklance] object RoaringOffsets {
  final private val NoRuns = 12346
  final private val WithRuns = 12347
  final private val MaxContainers = 1 << 16
  final private val MaxArray = 4096
  final private val BitmapBytes = 8192

  def decode(bytes: Slice): RoaringBitmap = {
    val cookie = bytes.int(0)
    if ((cookie & 0xffff) == WithRuns) {
      val count = (cookie >>> 16) + 1
      val flags = bytes.slice(4, (count + 7) / 8L, "run flags")
      val places = if (count < 4) 0 else count
      checkContainers(
        bytes,
        count,
        4 + flags.length,
        places,
        i => (flags.unsignedByte(i / 8) >> i % 8 & 1) != 0
      )
    } else if (cookie == NoRuns) {
      val count = bytes.int(4)
      if (count < 0 || count > MaxContainers) malformed(s"$count containers")
      checkContainers(bytes, count, 8, count, _ => false)
    } else malformed(s"cookie $cookie")
    val bitmap = new RoaringBitmap()
    bitmap.deserialize(ByteBuffer.wrap(bytes.array, bytes.offset, bytes.length).slice())
    bitmap
  }

  /** Encodes rows without run containers, as pylance does. */
  def encode(rows: RoaringBitmap): Array[Byte] = {
    val plain = rows.clone()
    val _ = plain.removeRunCompression()
    val bytes = ByteBuffer.allocate(plain.serializedSizeInBytes)
    plain.serialize(bytes)
    bytes.array
  }

  private def checkContainers(
      bytes: Slice,
      count: Int,
      headers: Int,
      places: Int,
      isRun: Int => Boolean
  ): Unit = {
    var previous = -1
    var at = headers + 4 * count + 4 * places
    var i = 0
    while (i < count) {
      val key = bytes.unsignedShort(headers + 4 * i)
      if (key <= previous) malformed(s"key $key after $previous")
      previous = key
      val cardinality = bytes.unsignedShort(headers + 4 * i + 2) + 1
      val size =
        if (isRun(i)) checkRuns(bytes, at, cardinality)
        else if (cardinality <= MaxArray)
          checkArray(bytes.slice(at.toLong, 2L * cardinality, "array container"))
        else checkBitmap(bytes.slice(at.toLong, BitmapBytes.toLong, "bitmap container"), cardinality)
      at += size
      i += 1
    }
  }

  /** Checks a container of runs. Returns its size, as the other checks do. */
  private def checkRuns(bytes: Slice, at: Int, cardinality: Int): Int = {
    val runs = bytes.unsignedShort(at)
    val size = 2 + 4 * runs
    val container = bytes.slice(at.toLong, size.toLong, "run container")
    var end = -1
    var found = 0
    var i = 2
    while (i < size) {
      val start = container.unsignedShort(i)
      val length = container.unsignedShort(i + 2)
      if (start <= end || start + length > 0xffff) malformed(s"a run at $start of ${length + 1} after $end")
      end = start + length
      found += length + 1
      i += 4
    }
    if (found != cardinality) malformed(s"runs of $found values, not $cardinality")
    size
  }

  private def checkArray(container: Slice): Int = {
    var previous = -1
    var i = 0
    while (i < container.length) {
      val value = container.unsignedShort(i)
      if (value <= previous) malformed(s"value $value after $previous")
      previous = value
      i += 2
    }
    container.length
  }

  private def checkBitmap(container: Slice, cardinality: Int): Int = {
    var found = 0
    var i = 0
    while (i < BitmapBytes) {
      found += java.lang.Long.bitCount(container.long(i))
      i += 8
    }
    if (found != cardinality) malformed(s"$found bits set, not $cardinality")
    BitmapBytes
  }

  private def malformed(what: String): Nothing = throw new LanceFormatException(s"no Roaring bitmap: $what")
}
