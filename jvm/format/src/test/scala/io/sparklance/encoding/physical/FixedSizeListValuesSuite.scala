package io.sparklance.encoding.physical

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceFormatException
import io.sparklance.data._
import io.sparklance.encoding.compression.Decompressors
import io.sparklance.proto.encodings.{CompressiveEncoding, FixedSizeList => FixedSizeListMessage}
import io.sparklance.testkit.{Blocks, Hostile, Pages}

class FixedSizeListValuesSuite extends AnyFunSuite {
  private def shape(dimension: Int, bits: Int = 32): ValueShape.FixedSizeList =
    ValueShape.FixedSizeList(dimension, ValueShape.FixedWidth(bits))

  private val nested = ValueShape.FixedSizeList(2, shape(4))

  /** Lists of the ints 0, 1, 2, …, of which those that `isNull` are null. */
  private def lists(rows: Int, dimension: Int)(isNull: Int => Boolean): FixedSizeListBlock = {
    val block = Blocks.list(DataBlock.forShape(shape(dimension)))
    for (row <- 0 until rows) {
      for (i <- row * dimension until (row + 1) * dimension) {
        Blocks.append(block.items, i)
        if (isNull(i)) block.itemNulls.appendNull(1) else block.itemNulls.appendValid(1)
      }
      block.advance(1)
    }
    block
  }

  private def throughChunks(block: DataBlock, shape: ValueShape.FixedSizeList): DataBlock = {
    val encoded = FixedSizeListValues.compressor(shape).compress(block)
    val decompressor = Decompressors.miniBlock(encoded.encoding, shape)
    val out = DataBlock.forShape(shape)
    encoded.chunks.foreach(c => decompressor.decompress(c.buffers.toArray, c.values, out))
    out
  }

  private def throughValues(block: DataBlock, shape: ValueShape.FixedSizeList): DataBlock = {
    val encoded = FixedSizeListValues.toFixedValues(block, shape)
    val decompressor = Decompressors.fixedValues(encoded.encoding, shape)
    assert(decompressor.bytesPerValue == encoded.bytesPerValue)
    val out = DataBlock.forShape(shape)
    decompressor.decompress(encoded.bytes.array, encoded.bytes.offset, block.length, out)
    out
  }

  private def message(encoding: CompressiveEncoding): FixedSizeListMessage = encoding.getFixedSizeList

  for (
    n <- Seq(1, 2, 255, 256, 257, 511, 512, 513, 1100);
    (name, isNull) <- Seq[(String, Int => Boolean)](
      "no" -> (_ => false),
      "some" -> (_ % 5 == 0),
      "only" -> (_ => true)
    )
  )
    test(s"$n lists with $name null items return from chunks and one by one") {
      val block = lists(n, 3)(isNull)
      val expected = Blocks.items(block)(Blocks.ints)
      assert(Blocks.items(throughChunks(block, shape(3)))(Blocks.ints) == expected)
      assert(Blocks.items(throughValues(block, shape(3)))(Blocks.ints) == expected)
    }

  test("lists of booleans return from chunks that start at whole bytes") {
    val block = Blocks.list(DataBlock.forShape(shape(3, bits = 1)))
    for (i <- 0 until 30000) Blocks.append(block.items, i % 2)
    block.advance(10000)
    val out = throughChunks(block, shape(3, bits = 1))
    assert(Blocks.ints(Blocks.list(out).items) == Vector.tabulate(30000)(_ % 2))
  }

  test("lists of lists return with the nulls of both levels") {
    val block = Blocks.list(DataBlock.forShape(nested))
    val inner = Blocks.list(block.items)
    for (i <- 0 until 6) {
      for (k <- 0 until 4) {
        Blocks.append(inner.items, 10 * i + k)
        if ((i + k) % 3 == 0) inner.itemNulls.appendNull(1) else inner.itemNulls.appendValid(1)
      }
      inner.advance(1)
      if (i == 4) block.itemNulls.appendNull(1) else block.itemNulls.appendValid(1)
    }
    block.advance(3)
    for (out <- Seq(throughChunks(block, nested), throughValues(block, nested))) {
      assert(Blocks.items(Blocks.list(out).items)(Blocks.ints) == Blocks.items(inner)(Blocks.ints))
      assert((0 until 6).filter(Blocks.list(out).itemNulls.isNull) == Seq(4))
    }
  }

  test("only levels with null items have a bitmap") {
    def hasValidity(block: DataBlock): Boolean =
      message(FixedSizeListValues.toFixedValues(block, shape(3)).encoding).hasValidity
    assert(!hasValidity(lists(4, 3)(_ => false)))
    assert(hasValidity(lists(4, 3)(_ == 7)))
  }

  test("pages of pylance decode: null items, booleans, lists of lists") {
    val ints = Pages.decode(Pages.golden("mini_fsl_bool"), shape(10, bits = 1))
    val expectedBools = for { i <- 0 until 11; j <- 0 until 10 } yield if ((i * j) % 3 != 0) 1 else 0
    assert(Blocks.ints(Blocks.list(ints.values).items) == expectedBools)

    val small = Pages.decode(Pages.golden("mini_fsl_null_items"), shape(4))
    val expected = for { i <- 0 until 5; j <- 0 until 4 } yield Option.when((i + j) % 5 != 0)(i * 4 + j)
    assert(Blocks.items(small.values)(Blocks.ints) == expected)

    val pairs = Blocks.list(Pages.decode(Pages.golden("mini_fsl_of_fsl"), nested).values)
    for { i <- 0 until 5; j <- 0 until 2 } {
      val isNull = (i + j) % 3 == 0
      assert(pairs.itemNulls.isNull(2 * i + j) == isNull)
      val items = Blocks.items(pairs.items)(Blocks.ints).slice(4 * (2 * i + j), 4 * (2 * i + j) + 4)
      if (!isNull) assert(items == (0 until 4).map(k => Option.when((i + j + k) % 4 != 0)(k)))
    }
  }

  test("messages that contradict the column's type are refused") {
    val encoding = FixedSizeListValues.toFixedValues(lists(1, 3)(_ => false), shape(3)).encoding
    for (other <- Seq(shape(4), shape(3, bits = 64), ValueShape.FixedWidth(32), nested)) {
      intercept[LanceFormatException](Decompressors.miniBlock(encoding, other))
      intercept[LanceFormatException](Decompressors.fixedValues(encoding, other))
    }
  }

  for (dimension <- Seq(3, 8, 17); nulls <- Seq(0, 5))
    test(s"lists of $dimension booleans return one by one, ${if (nulls == 0) "no" else "some"} items null") {
      val kind = shape(dimension, bits = 1)
      val block = Blocks.list(DataBlock.forShape(kind))
      for (i <- 0 until 50 * dimension) {
        Blocks.append(block.items, i * i % 3 & 1)
        if (nulls > 0 && i % nulls == 0) block.itemNulls.appendNull(1) else block.itemNulls.appendValid(1)
      }
      block.advance(50)
      val out = throughValues(block, kind)
      assert(Blocks.items(out)(Blocks.ints) == Blocks.items(block)(Blocks.ints))
    }

  test("a missing bitmap, and one too many, are refused") {
    val encoded = FixedSizeListValues.compressor(shape(3)).compress(lists(4, 3)(_ == 7))
    val buffers = encoded.chunks.head.buffers.toArray
    val decompressor = Decompressors.miniBlock(encoded.encoding, shape(3))
    for (wrong <- Seq(buffers.tail, buffers :+ buffers.head)) {
      val e = intercept[LanceFormatException](decompressor.decompress(wrong, 4, DataBlock.forShape(shape(3))))
      assert(e.getMessage == s"${wrong.length} buffers in a chunk of fixed-size lists, not 2")
    }
  }

  test("broken chunks give as many values, or an error") {
    val encoded = FixedSizeListValues.compressor(shape(3)).compress(lists(4, 3)(_ == 7))
    val bitmap = encoded.chunks.head.buffers.head.toArray
    val items = encoded.chunks.head.buffers.last.toArray
    val decompressor = Decompressors.miniBlock(encoded.encoding, shape(3))
    def decode(bitmap: Array[Byte], items: Array[Byte]): Int = {
      val out = DataBlock.forShape(shape(3))
      decompressor.decompress(Array(Slice(bitmap), Slice(items)), 4, out)
      out.length
    }
    for (bad <- Hostile.truncations(bitmap) ++ Hostile.flips(bitmap))
      Hostile.decodesOrRefuses(4)(decode(bad, items))
    for (bad <- Hostile.truncations(items) ++ Hostile.flips(items))
      Hostile.decodesOrRefuses(4)(decode(bitmap, bad))
  }
}
