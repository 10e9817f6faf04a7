package io.sparklance.index.vector

import io.sparklance.LanceFormatException
import io.sparklance.data.{Halves, LittleEndian}
import io.sparklance.proto.index.Tensor

/** Numbers of tensors, as floats. */
private[vector] object Tensors {

  /** Returns the numbers of a tensor, which must have `expected` of them. */
  def floats(tensor: Tensor, expected: Long, what: String): Array[Float] = {
    val bytes = tensor.data.toByteArray
    val width = widthOf(tensor.dataType, what)
    if (expected <= 0 || expected * width != bytes.length)
      throw new LanceFormatException(
        s"$what has ${bytes.length} bytes instead of $expected numbers of $width"
      )
    val number: Int => Float = tensor.dataType match {
      case Tensor.DataType.BFLOAT16 =>
        i => java.lang.Float.intBitsToFloat(LittleEndian.short(bytes, 2 * i) << 16)
      case Tensor.DataType.FLOAT16 => i => Halves.number(LittleEndian.unsignedShort(bytes, 2 * i)).toFloat
      case Tensor.DataType.FLOAT32 => i => java.lang.Float.intBitsToFloat(LittleEndian.int(bytes, 4 * i))
      case Tensor.DataType.FLOAT64 =>
        i => java.lang.Double.longBitsToDouble(LittleEndian.long(bytes, 8 * i)).toFloat
      case _ => i => LittleEndian.unsignedByte(bytes, i).toFloat
    }
    Array.tabulate(expected.toInt)(number)
  }

  private def widthOf(kind: Tensor.DataType, what: String): Int = kind match {
    case Tensor.DataType.BFLOAT16 | Tensor.DataType.FLOAT16 => 2
    case Tensor.DataType.FLOAT32 => 4
    case Tensor.DataType.FLOAT64 => 8
    case Tensor.DataType.UINT8 => 1
    case Tensor.DataType.UINT16 | Tensor.DataType.UINT32 | Tensor.DataType.UINT64 |
        Tensor.DataType.Unrecognized(_) =>
      throw new LanceFormatException(s"$what has numbers of type ${kind.name}")
  }
}
