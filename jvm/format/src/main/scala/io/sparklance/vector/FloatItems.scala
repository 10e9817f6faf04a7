package io.sparklance.vector

import java.nio.{ByteBuffer, ByteOrder}

import io.sparklance.data.{
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBytesBlock,
  FixedSizeListBlock,
  Halves,
  NestedBlock,
  VariableBlock
}

/** Copies stored items to an array of floats. */
sealed abstract private[sparklance] class FloatItems {

  /** Copies `n` items from `from` on to the start of `out`. */
  def copy(items: DataBlock, from: Int, n: Int, out: Array[Float]): Unit

  final protected def misfit(items: DataBlock): Nothing = items match {
    case _: Fixed8Block | _: Fixed16Block | _: Fixed32Block | _: Fixed64Block | _: FixedBytesBlock |
        _: FixedSizeListBlock | _: NestedBlock | _: VariableBlock =>
      throw new IllegalStateException(s"items of vectors in a ${items.getClass.getSimpleName}")
  }
}

private[sparklance] object FloatItems {

  /** Returns a copier of items of a type of up to 32 bits. */
  def of(item: VectorItem): FloatItems = item match {
    case VectorItem.Float16 => new Halved
    case VectorItem.BFloat16 => new Upper
    case VectorItem.Float32 => new Bits
    case VectorItem.Int8 => new Bytes
    case VectorItem.Float64 | VectorItem.UInt8 =>
      throw new IllegalStateException(s"floats from items of ${item.name}")
  }

  /** Floats are stored as their bits. Two bulk copies through a small buffer are faster than a conversion of
    * each.
    */
  final class Bits extends FloatItems {
    private val buffer = ByteBuffer.allocateDirect(4 * Bits.Chunk).order(ByteOrder.nativeOrder())
    private val ints = buffer.asIntBuffer()
    private val floats = buffer.asFloatBuffer()

    def copy(items: DataBlock, from: Int, n: Int, out: Array[Float]): Unit = items match {
      case block: Fixed32Block =>
        var at = 0
        while (at < n) {
          val some = math.min(Bits.Chunk, n - at)
          val _ = ints.clear().put(block.values, from + at, some)
          val _ = floats.clear().get(out, at, some)
          at += some
        }
      case other => misfit(other)
    }
  }

  private object Bits {
    final val Chunk = 4096
  }

  final class Halved extends FloatItems {
    def copy(items: DataBlock, from: Int, n: Int, out: Array[Float]): Unit = items match {
      case block: Fixed16Block =>
        val (values, floats) = (block.values, HalfFloats.all)
        var i = 0
        while (i < n) { out(i) = floats(values(from + i) & 0xffff); i += 1 }
      case other => misfit(other)
    }
  }

  /** The upper halves of floats. */
  final class Upper extends FloatItems {
    def copy(items: DataBlock, from: Int, n: Int, out: Array[Float]): Unit = items match {
      case block: Fixed16Block =>
        val values = block.values
        var i = 0
        while (i < n) { out(i) = java.lang.Float.intBitsToFloat(values(from + i) << 16); i += 1 }
      case other => misfit(other)
    }
  }

  final class Bytes extends FloatItems {
    def copy(items: DataBlock, from: Int, n: Int, out: Array[Float]): Unit = items match {
      case block: Fixed8Block =>
        val values = block.values
        var i = 0
        while (i < n) { out(i) = values(from + i).toFloat; i += 1 }
      case other => misfit(other)
    }
  }

  /** Floats by the bits of halves. */
  private object HalfFloats {
    val all: Array[Float] = Array.tabulate(1 << 16)(Halves.number(_).toFloat)
  }
}
