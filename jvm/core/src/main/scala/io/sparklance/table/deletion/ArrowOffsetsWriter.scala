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
