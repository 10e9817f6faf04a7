package io.sparklance.encoding.physical

import org.scalatest.Assertions

import io.sparklance.data.{DataBlock, Slice, ValueShape}
import io.sparklance.encoding.{BlockDecompressor, MiniBlockCompressor, MiniBlockDecompressor}
import io.sparklance.testkit.Blocks
import io.sparklance.{LanceFormatException, Location}

/** Tests for every encoding of fixed-width values. */
private[sparklance] trait WordEncodingBehaviour extends Assertions {

  /** Around the sizes of groups, chunks and runs. */
  val sizes: Seq[Int] = Seq(1, 2, 7, 255, 256, 1023, 1024, 1025, 4095, 4096, 4097)

  /** Random values of up to `width` bits, with runs among them. */
  def someWords(bits: Int, width: Int, count: Int): DataBlock = {
    val random = new scala.util.Random(31 * width + count)
    val mask = if (width == 0) 0L else -1L >>> 64 - width
    var last = 0L
    Blocks.words(bits, Seq.fill(count) { if (random.nextInt(3) == 0) last = random.nextLong() & mask; last })
  }

  def blockOf(bits: Int): DataBlock = DataBlock.forShape(ValueShape.FixedWidth(bits))

  /** Compresses to chunks and back; the output starts with a value that must stay. */
  def assertRoundTrip(
      values: DataBlock,
      bits: Int,
      compressor: MiniBlockCompressor,
      decompressor: MiniBlockDecompressor
  ): Unit = {
    val compressed = compressor.compress(values)
    assert(compressed.chunks.map(_.values).sum == values.length)
    assert(compressed.chunks.init.forall(c => c.values >= 2 && Integer.bitCount(c.values) == 1))
    val out = blockOf(bits)
    out.appendSlots(1)
    compressed.chunks.foreach(c => decompressor.decompress(c.buffers.toArray, c.values, out))
    assert(Blocks.values(out).tail == Blocks.values(values))
    ()
  }

  def decode(decompressor: BlockDecompressor, buffer: Slice, count: Int, bits: Int): Vector[Any] =
    LanceFormatException.locating(Location()) {
      val out = blockOf(bits)
      decompressor.decompress(buffer, count, out)
      assert(out.length == count)
      Blocks.values(out)
    }

  /** Any other length than its own is refused. */
  def assertLengthIsChecked(decompressor: BlockDecompressor, buffer: Slice, count: Int, bits: Int): Unit = {
    val longer = Slice(java.util.Arrays.copyOf(buffer.toArray, buffer.length + 1))
    (0 until buffer.length).map(n => Slice(buffer.array, buffer.offset, n)).appended(longer).foreach { other =>
      intercept[LanceFormatException](decode(decompressor, other, count, bits))
    }
  }
}
