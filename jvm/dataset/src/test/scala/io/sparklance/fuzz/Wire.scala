package io.sparklance.fuzz

import java.io.ByteArrayOutputStream

/** A field of a protobuf message, without a schema: its number and what stands on the wire. */
final case class WireField(number: Int, value: WireValue)

sealed trait WireValue

object WireValue {
  final case class Varint(value: Long) extends WireValue

  /** 4 or 8 bytes. */
  final case class Fixed(bytes: Vector[Byte]) extends WireValue

  /** Bytes, a string, packed numbers or a message: the wire does not tell. */
  final case class Bytes(bytes: Array[Byte]) extends WireValue
}

/** Messages as their bytes have them. */
object Wire {
  import WireValue._

  /** The fields, if the bytes can be a message. */
  def parse(bytes: Array[Byte]): Option[Vector[WireField]] = {
    val fields = Vector.newBuilder[WireField]
    var at = 0
    while (at < bytes.length) {
      val field = for {
        (tag, afterTag) <- varint(bytes, at)
        if tag >>> 3 > 0 && tag >>> 3 < 1000
        (value, end) <- value(bytes, afterTag, (tag & 7).toInt)
      } yield (WireField((tag >>> 3).toInt, value), end)
      field match {
        case Some((some, end)) =>
          fields += some
          at = end
        case None => return None
      }
    }
    Some(fields.result())
  }

  def print(fields: Seq[WireField]): Array[Byte] = {
    val out = new ByteArrayOutputStream
    fields.foreach { field =>
      val (kind, content) = field.value match {
        case Varint(value) => (0, varint(value))
        case Fixed(bytes) => (if (bytes.size == 4) 5 else 1, bytes.toArray)
        case Bytes(bytes) => (2, varint(bytes.length.toLong) ++ bytes)
      }
      out.write(varint((field.number.toLong << 3) + kind))
      out.write(content)
    }
    out.toByteArray
  }

  /** Packed numbers. */
  def varints(bytes: Array[Byte]): Option[Vector[Long]] = {
    val values = Vector.newBuilder[Long]
    var at = 0
    while (at < bytes.length) varint(bytes, at) match {
      case Some((value, end)) =>
        values += value
        at = end
      case None => return None
    }
    Some(values.result())
  }

  def varint(value: Long): Array[Byte] = {
    val out = Array.newBuilder[Byte]
    var rest = value
    while ((rest & ~0x7fL) != 0) {
      out += (rest & 0x7f | 0x80).toByte
      rest >>>= 7
    }
    out += rest.toByte
    out.result()
  }

  private def varint(bytes: Array[Byte], from: Int): Option[(Long, Int)] = {
    val end = bytes.indexWhere(_ >= 0, from)
    Option.when(end >= 0 && end - from < 10) {
      ((from to end).foldRight(0L)((at, high) => high << 7 | bytes(at) & 0x7f), end + 1)
    }
  }

  private def value(bytes: Array[Byte], at: Int, kind: Int): Option[(WireValue, Int)] = kind match {
    case 0 => varint(bytes, at).map { case (value, end) => (Varint(value), end) }
    case 1 => fixed(bytes, at, 8)
    case 5 => fixed(bytes, at, 4)
    case 2 =>
      varint(bytes, at).collect {
        case (length, start) if length >= 0 && length <= bytes.length - start =>
          (Bytes(bytes.slice(start, start + length.toInt)), start + length.toInt)
      }
    case _ => None
  }

  private def fixed(bytes: Array[Byte], at: Int, size: Int): Option[(WireValue, Int)] =
    Option.when(at + size <= bytes.length)((Fixed(bytes.slice(at, at + size).toVector), at + size))
}
