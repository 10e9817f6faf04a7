package io.sparklance.fuzz

import scala.util.Random

import io.sparklance.fuzz.WireValue._

/** Changes one field of a message, at any depth; all around it stays well-formed. */
final class WireDamage(random: Random) {

  /** The damaged message, and what was done to it. */
  def apply(message: Array[Byte]): (Array[Byte], String) = Wire.parse(message) match {
    case Some(fields) if fields.nonEmpty => edit(fields, random.nextInt(size(fields)), "")
    case _ => (Numbers.flip(message, random), "a byte of it")
  }

  /** Fields of the message and of the messages in it. */
  private def size(fields: Vector[WireField]): Int = fields.map(1 + below(_).fold(0)(size)).sum

  private def below(field: WireField): Option[Vector[WireField]] = field.value match {
    case Bytes(bytes) if bytes.nonEmpty => Wire.parse(bytes)
    case _ => None
  }

  /** Edits the field that is the `n`th in depth-first order. */
  private def edit(fields: Vector[WireField], n: Int, path: String): (Array[Byte], String) = {
    var rest = n
    var i = 0
    var inner = below(fields(0)).fold(0)(size)
    while (rest > inner) {
      rest -= 1 + inner
      i += 1
      inner = below(fields(i)).fold(0)(size)
    }
    val here = s"$path/${fields(i).number}"
    if (rest == 0) {
      val (edited, what) = change(fields, i)
      (Wire.print(edited), s"$here: $what")
    } else {
      val (bytes, what) = edit(Wire.parse(value(fields(i))).get, rest - 1, here)
      (Wire.print(fields.updated(i, fields(i).copy(value = Bytes(bytes)))), what)
    }
  }

  private def value(field: WireField): Array[Byte] = field.value match {
    case Bytes(bytes) => bytes
    case Varint(_) | Fixed(_) => Array.emptyByteArray
  }

  private def change(fields: Vector[WireField], i: Int): (Vector[WireField], String) = {
    val field = fields(i)
    random.nextInt(10) match {
      case 0 => (fields.patch(i, Nil, 1), "removed")
      case 1 => (fields.patch(i, Vector.fill(1 + random.nextInt(4))(field), 0), "repeated")
      case 2 =>
        val number = 1 + random.nextInt(20)
        (fields.updated(i, field.copy(number = number)), s"made number $number")
      case 3 =>
        val other = fields(random.nextInt(fields.size))
        (fields.updated(i, field.copy(value = other.value)), s"given what ${other.number} has")
      case _ =>
        val (value, what) = change(field.value)
        (fields.updated(i, field.copy(value = value)), what)
    }
  }

  private def change(value: WireValue): (WireValue, String) = value match {
    case Varint(old) =>
      val now = Numbers.other(old, random)
      (Varint(now), s"$old made $now")
    case Fixed(old) =>
      val bytes = Numbers.flip(old.toArray, random)
      (Fixed(bytes.toVector), "a byte of it")
    case Bytes(old) => change(old)
  }

  private def change(old: Array[Byte]): (WireValue, String) = random.nextInt(8) match {
    case 0 => (Bytes(Array.emptyByteArray), s"${old.length} bytes emptied")
    case 1 => (Bytes(old.take(random.nextInt(old.length + 1))), s"${old.length} bytes cut")
    case 2 => (Bytes(old ++ Numbers.bytes(random, 1 + random.nextInt(40))), s"${old.length} bytes lengthened")
    case 3 => (Varint(Numbers.other(old.length.toLong, random)), "made a number")
    case 4 => (Bytes(nest(old, 1 << random.nextInt(12))), "nested in itself")
    case _ =>
      Wire.varints(old).filter(_.nonEmpty) match {
        case Some(packed) => change(packed)
        case None => (Bytes(Numbers.flip(old, random)), s"a byte of its ${old.length}")
      }
  }

  private def change(packed: Vector[Long]): (WireValue, String) = {
    val i = random.nextInt(packed.size)
    val edited = random.nextInt(4) match {
      case 0 => packed.patch(i, Nil, 1)
      case 1 => packed.patch(i, Seq(packed(random.nextInt(packed.size))), 0)
      case _ => packed.updated(i, Numbers.other(packed(i), random))
    }
    (Bytes(edited.toArray.flatMap(Wire.varint)), s"$packed made $edited".take(300))
  }

  /** The bytes as the content of a field in a field in a field…, by a number that occurs in them. */
  private def nest(bytes: Array[Byte], depth: Int): Array[Byte] = {
    val number = Wire.parse(bytes).flatMap(_.headOption).fold(1 + random.nextInt(4))(_.number)
    (0 until depth).foldLeft(bytes)((inner, _) => Wire.print(Seq(WireField(number, Bytes(inner)))))
  }
}
