package io.sparklance.index.build

import java.util.Arrays

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{Column, DataBlock, Fixed64Block, FixedBytesBlock, LittleEndian, VariableBlock}

class KeyBufferSuite extends AnyFunSuite {
  private val random = new Random(7)

  private val numbers = NumberIndexKeys(NumberForm.Signed)
  private val bytes = ByteIndexKeys(isDecimal = false)

  private def rowsOf[K <: AnyRef](buffer: KeyBuffer[K]): Vector[(Option[K], Long)] =
    Vector.tabulate(buffer.size)(row => buffer.key(row) -> buffer.id(row))

  private def sorted[K <: AnyRef](keys: IndexKeys[K], rows: Seq[(K, Long)]): Vector[(Option[K], Long)] = {
    val buffer = filled(keys, rows)
    buffer.sort()
    rowsOf(buffer)
  }

  private def filled[K <: AnyRef](keys: IndexKeys[K], rows: Seq[(K, Long)]): KeyBuffer[K] = {
    val buffer = keys.buffer
    rows.foreach { case (key, id) => buffer.add(key, id) }
    buffer
  }

  private def strings(count: Int, alphabet: String, longest: Int): Seq[(Array[Byte], Long)] =
    Seq.tabulate(count) { i =>
      val text = Array.fill(random.nextInt(longest + 1))(alphabet(random.nextInt(alphabet.length)).toByte)
      (if (random.nextInt(9) == 0) null else text, (count - i).toLong)
    }

  private def text(row: (Option[Array[Byte]], Long)) = row._1.map(_.toVector) -> row._2

  test("numbers are sorted with their rows, nulls first; equal ones keep their order") {
    Seq(3, 200, 5000).foreach { count =>
      val rows = Seq.tabulate(count) { i =>
        val key = if (random.nextInt(5) == 0) null else Long.box(random.nextLong() >> random.nextInt(64))
        (key, (count - i).toLong)
      }
      val expected = rows.sortBy { case (key, _) => (key != null, Option(key).fold(0L)(_.longValue)) }
      assert(sorted(numbers, rows) == expected.map { case (key, id) => Option(key) -> id })
    }
  }

  test("byte strings are sorted unsigned, also with common beginnings, zero bytes and equal ones") {
    Seq((40, "ab", 3), (3000, "\u0000a\u00ff", 12), (3000, "x", 40), (2000, "abcdefgh", 30)).foreach {
      case (count, alphabet, longest) =>
        val rows = strings(count, alphabet, longest)
        val found = sorted(bytes, rows)
        found.zip(found.drop(1)).foreach { case (a, b) =>
          assert(a._1.isEmpty || Arrays.compareUnsigned(a._1.get, b._1.get) <= 0)
        }
        assert(found.map(text).toSet == rows.map(row => text(Option(row._1) -> row._2)).toSet)
        assert(found.size == count)
    }
  }

  test("encoded rows are those of both buffers") {
    val rows = strings(100, "ab", 5)
    val buffer = filled(bytes, rows)
    val encoded = buffer.drain()
    assert(buffer.isEmpty && buffer.sizeInBytes == 0)
    buffer.add("z".getBytes, 1000)
    buffer.addEncoded(encoded)
    val expected = (rows :+ ("z".getBytes -> 1000L)).map(row => text(Option(row._1) -> row._2))
    assert(buffer.size == 101 && rowsOf(buffer).map(text).toSet == expected.toSet)
  }

  test("numbers are encoded in as many bytes as their differences take") {
    val all = Seq(0L, 200L, 60000L, 1L << 31, 1L << 40).map(most => Seq(-5L, most - 5, -5L)) :+
      Seq(Long.MinValue, Long.MaxValue, 0L)
    all.zip(Seq(0, 1, 2, 4, 8, 8)).foreach { case (values, width) =>
      assert(PackedLongs.size(values.toArray, 3) == 9 + 3 * width)
      val out = PackedLongs.buffer(9L + 3 * width)
      PackedLongs.put(out, values.toArray, 3)
      val back = new Array[Long](4)
      PackedLongs.get(out.flip().order(java.nio.ByteOrder.LITTLE_ENDIAN), back, 1, 3)
      assert(back.toSeq.tail == values && !out.hasRemaining)
    }
  }

  test("the rows of a batch are added, nulls apart, and copied to columns in order") {
    val texts = new VariableBlock
    Seq("b", "null", "", "a", "c").foreach(text => texts.append(text.getBytes, 0, text.length))
    val decimals = new FixedBytesBlock(16)
    val longs = new Fixed64Block
    Seq(2L, 77L, -1L, 0L, 3L).foreach { value =>
      longs.append(value)
      val at = decimals.extend(1)
      LittleEndian.putLong(decimals.bytes, 16 * at, value)
      LittleEndian.putLong(decimals.bytes, 16 * at + 8, value >> 63)
    }
    checkBatch(bytes, texts, new VariableBlock)((block, i) =>
      block.bytes.slice(block.offsets(i), block.offsets(i + 1)).toVector
    )
    checkBatch(ByteIndexKeys(isDecimal = true), decimals, new FixedBytesBlock(16))((block, i) =>
      block.bytes.slice(16 * i, 16 * i + 16).toVector
    )
    checkBatch(numbers, longs, new Fixed64Block)((block, i) => block.values(i))
  }

  /** Row 1 of five is null, and rows 2, 3, 0, 4 ascend. */
  private def checkBatch[K <: AnyRef, B <: DataBlock](keys: IndexKeys[K], values: B, empty: B)(
      value: (B, Int) => Any
  ): Unit = {
    val buffer = keys.buffer
    buffer.addBatch(values, Array(false, true, false, false, false), Array(10, 11, 12, 13, 14), 5)
    buffer.sort()
    val (back, ids) = (new Column(empty), new Fixed64Block)
    buffer.copyTo(0, 2, back, ids)
    buffer.copyTo(2, 3, back, ids)
    assert(ids.values.take(5).toSeq == Seq(11, 12, 13, 10, 14))
    assert((0 until 5).map(back.nulls.isNull) == Seq(true, false, false, false, false))
    assert((1 until 5).map(value(empty, _)) == Seq(2, 3, 0, 4).map(value(values, _)))
    val _ = assert(buffer.rowsWithin(2, 3, bytes = 1) == 1 && buffer.rowsWithin(0, 5, bytes = 1 << 20) == 5)
  }

  test("bounds divide equal keys by their rows, and put null first") {
    val sample = Vector.tabulate(100)(i => (if (i < 50) null else Long.box(7L)) -> i.toLong)
    val bounds = KeyBounds.of(numbers, sample, ranges = 4)
    def ranges(key: java.lang.Long, ids: Long*) = {
      val rows = filled(numbers, ids.map(key -> _))
      ids.indices.map(bounds.rangeOf(rows, _))
    }
    assert(bounds.ranges == 4)
    assert(ranges(null, 0, 24, 25, 49) == Seq(0, 0, 1, 1))
    assert(ranges(Long.box(7L), 0, 74, 75, 99) == Seq(1, 2, 3, 3))
    assert(KeyBounds.of(numbers, Vector.empty, ranges = 4).ranges == 1)
    val buffers = Array.fill(4)(numbers.buffer)
    bounds.divide(filled(numbers, sample), buffers)
    assert(buffers.map(_.size).toSeq == Seq(25, 25, 25, 25))
    assert(rowsOf(buffers(2)).map(_._2) == (50L until 75))
  }
}
