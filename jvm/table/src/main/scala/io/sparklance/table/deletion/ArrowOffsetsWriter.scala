package io.sparklance.table.deletion

import io.sparklance.data.LittleEndian

/** Writes the files that [[ArrowOffsets]] describes, with ascending, uncompressed offsets. */
private[deletion] object ArrowOffsetsWriter {
  import FlatField._

  final private val MetadataV5 = 4
  final private val SchemaHeader = 1
  final private val RecordBatchHeader = 3
  final private val IntType = 2

  private val schema = Table(
    0 -> Int16(0),
    1 -> Tables(
      Table(
        0 -> Text("row_id"),
        1 -> Int8(0),
        2 -> Int8(IntType),
        3 -> Table(0 -> Int32(32), 1 -> Int8(0)),
        5 -> Tables()
      )
    )
  )

  def encode(offsets: Array[Int]): Array[Byte] = {
    val start = "ARROW1\u0000\u0000".getBytes("US-ASCII")
    val schemaMessage = framed(message(SchemaHeader, schema, bodyLength = 0))
    val body = values(offsets)
    val batch = framed(message(RecordBatchHeader, recordBatch(offsets.length), body.length.toLong))
    val batchAt = start.length + schemaMessage.length
    val end = framed(Array.emptyByteArray)
    val footer = FlatMessage.encode(
      Table(
        0 -> Int16(MetadataV5),
        1 -> schema,
        2 -> Structs(3, Vector.empty),
        // A block: i64 place, i32 length of the metadata and four bytes of padding, i64 length of the body.
        3 -> Structs(3, Vector(batchAt.toLong, batch.length.toLong, body.length.toLong))
      )
    )
    val tail = new Array[Byte](4)
    LittleEndian.putInt(tail, 0, footer.length)
    Array.concat(start, schemaMessage, batch, body, end, footer, tail, "ARROW1".getBytes("US-ASCII"))
  }

  private def message(kind: Int, header: Table, bodyLength: Long): Array[Byte] = FlatMessage.encode(
    Table(0 -> Int16(MetadataV5), 1 -> Int8(kind), 2 -> header, 3 -> Int64(bodyLength))
  )

  /** Returns a batch of one column without nulls, whose first buffer is empty. */
  private def recordBatch(rows: Int): Table = Table(
    0 -> Int64(rows.toLong),
    1 -> Structs(2, Vector(rows.toLong, 0)),
    2 -> Structs(2, Vector(0, 0, 0, rows * 4L))
  )

  /** Prepends the marker and the length of a message. An empty message ends the stream. */
  private def framed(message: Array[Byte]): Array[Byte] = {
    val bytes = new Array[Byte](8 + message.length)
    LittleEndian.putInt(bytes, 0, -1)
    LittleEndian.putInt(bytes, 4, message.length)
    System.arraycopy(message, 0, bytes, 8, message.length)
    bytes
  }

  private def values(offsets: Array[Int]): Array[Byte] = {
    val bytes = new Array[Byte]((offsets.length * 4 + 7) / 8 * 8)
    var i = 0
    while (i < offsets.length) {
      LittleEndian.putInt(bytes, i * 4, offsets(i))
      i += 1
    }
    bytes
  }
}

/** A field of a FlatBuffers table to write, with its size in the table itself. */
sealed private[deletion] trait FlatField {
  def size: Int
}

private[deletion] object FlatField {
  final case class Int8(value: Int) extends FlatField { def size = 1 }
  final case class Int16(value: Int) extends FlatField { def size = 2 }
  final case class Int32(value: Int) extends FlatField { def size = 4 }
  final case class Int64(value: Long) extends FlatField { def size = 8 }

  /** A field by reference: the table holds the distance to it. */
  sealed trait Reference extends FlatField { def size = 4 }

  /** A table, with its fields by number. */
  final case class Table(fields: (Int, FlatField)*) extends Reference
  final case class Tables(tables: Table*) extends Reference

  /** Structs of i64 fields. */
  final case class Structs(fields: Int, values: Vector[Long]) extends Reference
  final case class Text(ascii: String) extends Reference
}

/** Writes a FlatBuffers message front to back, so that all references point forward: targets follow the
  * table, and a table follows its vtable. [[FlatTable]] shows the layout. Every number is aligned to its
  * size.
  */
final private[deletion] class FlatMessage private {
  import FlatField._

  private var bytes = new Array[Byte](1024)
  private var size = 0

  private def put(table: Table): Int = {
    val vtableSize = 4 + 2 * table.fields.map(_._1 + 1).maxOption.getOrElse(0)
    align(2)
    val vtable = reserve(vtableSize)
    align(8)
    // Larger fields first, after the four bytes of the distance to the vtable: each is aligned, with one gap
    // at most.
    val at = reserve(4)
    val places = table.fields.sortBy(-_._2.size).map { case (number, field) =>
      align(field.size)
      val place = reserve(field.size)
      LittleEndian.putShort(bytes, vtable + 4 + 2 * number, (place - at).toShort)
      place -> field
    }
    LittleEndian.putShort(bytes, vtable, vtableSize.toShort)
    LittleEndian.putShort(bytes, vtable + 2, (size - at).toShort)
    LittleEndian.putInt(bytes, at, at - vtable)
    places.foreach { case (place, field) => fill(place, field) }
    at
  }

  private def fill(place: Int, field: FlatField): Unit = field match {
    case Int8(value) => bytes(place) = value.toByte
    case Int16(value) => LittleEndian.putShort(bytes, place, value.toShort)
    case Int32(value) => LittleEndian.putInt(bytes, place, value)
    case Int64(value) => LittleEndian.putLong(bytes, place, value)
    case reference: Reference =>
      val target = put(reference)
      LittleEndian.putInt(bytes, place, target - place)
  }

  private def put(reference: Reference): Int = reference match {
    case table: Table => put(table)
    case Tables(tables @ _*) =>
      val at = count(tables.size, alignment = 4)
      val places = tables.map(table => reserve(4) -> table)
      places.foreach { case (place, table) => fill(place, table) }
      at
    case Structs(fields, values) =>
      val at = count(values.size / fields, alignment = 8)
      values.foreach(value => LittleEndian.putLong(bytes, reserve(8), value))
      at
    case Text(ascii) =>
      val at = count(ascii.length, alignment = 4)
      ascii.foreach(c => bytes(reserve(1)) = c.toByte)
      val _ = reserve(1)
      at
  }

  /** Writes a vector's length so that the following elements are aligned. */
  private def count(elements: Int, alignment: Int): Int = {
    align(4)
    if ((size + 4) % alignment != 0) { val _ = reserve(4) }
    val at = reserve(4)
    LittleEndian.putInt(bytes, at, elements)
    at
  }

  private def align(to: Int): Unit = { val _ = reserve((to - size % to) % to) }

  private def reserve(count: Int): Int = {
    if (size + count > bytes.length) bytes = java.util.Arrays.copyOf(bytes, 2 * (size + count))
    size += count
    size - count
  }
}

private[deletion] object FlatMessage {

  /** Encodes a reference to the root and the root, padded to a multiple of 8 bytes. */
  def encode(root: FlatField.Table): Array[Byte] = {
    val message = new FlatMessage
    val reference = message.reserve(4)
    message.fill(reference, root)
    message.align(8)
    java.util.Arrays.copyOf(message.bytes, message.size)
  }
}
