package io.sparklance.index.vector.build

import com.google.protobuf.ByteString

import io.sparklance.data.{Halves, LittleEndian}
import io.sparklance.proto.index.Tensor
import io.sparklance.vector.VectorItem

/** Writes numbers as tensors of the type of a column. */
private[build] object WrittenTensors {

  def of(numbers: Array[Float], shape: Vector[Int], item: VectorItem): Tensor = {
    val bytes = new Array[Byte](numbers.length * item.bytes)
    var i = 0
    while (i < numbers.length) { put(numbers(i), item, bytes, i); i += 1 }
    Tensor(kind(item), shape, ByteString.copyFrom(bytes))
  }

  private def put(number: Float, item: VectorItem, bytes: Array[Byte], i: Int): Unit = item match {
    case VectorItem.Float16 => LittleEndian.putShort(bytes, 2 * i, Halves.bits(number.toDouble).toShort)
    case VectorItem.BFloat16 =>
      LittleEndian.putShort(bytes, 2 * i, (java.lang.Float.floatToRawIntBits(number) >>> 16).toShort)
    case VectorItem.Float32 =>
      LittleEndian.putInt(bytes, 4 * i, java.lang.Float.floatToRawIntBits(number))
    case VectorItem.Float64 =>
      LittleEndian.putLong(bytes, 8 * i, java.lang.Double.doubleToRawLongBits(number.toDouble))
    case VectorItem.Int8 | VectorItem.UInt8 => bytes(i) = number.toInt.toByte
  }

  private def kind(item: VectorItem): Tensor.DataType = item match {
    case VectorItem.Float16 => Tensor.DataType.FLOAT16
    case VectorItem.BFloat16 => Tensor.DataType.BFLOAT16
    case VectorItem.Float32 => Tensor.DataType.FLOAT32
    case VectorItem.Float64 => Tensor.DataType.FLOAT64
    case VectorItem.Int8 | VectorItem.UInt8 => Tensor.DataType.UINT8
  }
}
