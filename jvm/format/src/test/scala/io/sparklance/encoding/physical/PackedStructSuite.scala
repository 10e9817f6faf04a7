package io.sparklance.encoding.physical

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.ValueShape.{FixedSizeList, FixedWidth, Struct, VariableWidth}
import io.sparklance.data.{DataBlock, Slice, ValueShape}
import io.sparklance.encoding.compression.Decompressors
import io.sparklance.proto.encodings.CompressiveEncoding.Compression
import io.sparklance.proto.encodings.VariablePackedStruct.FieldEncoding
import io.sparklance.proto.encodings.{
  CompressiveEncoding,
  PackedStruct => PackedStructMessage,
  VariablePackedStruct => VariablePackedStructMessage
}
import io.sparklance.testkit.{Blocks, Hex}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Bytes made by hand; those of pylance are in PageDecodingSuite (packed, packed_variable, packed_deep,
  * packed_zstd).
  */
class PackedStructSuite extends AnyFunSuite {
  private val shape = Struct(Vector(FixedWidth(16), FixedWidth(8)))

  private def packed(values: CompressiveEncoding, bits: Long*): CompressiveEncoding =
    CompressiveEncoding(Compression.PackedStruct(PackedStructMessage(bits, Some(values))))

  private def miniBlock(
      encoding: CompressiveEncoding,
      shape: ValueShape,
      count: Int,
      hex: String
  ): Vector[Any] = {
    val out = DataBlock.forShape(shape)
    Decompressors.miniBlock(encoding, shape).decompress(Array(Hex.slice(hex)), count, out)
    Blocks.values(out)
  }

  test("rows come apart into columns") {
    assert(
      miniBlock(packed(Flat.encoding(24), 16, 8), shape, 2, "010002 ff7f03") ==
        Vector(Vector(Some(1L), Some(2L)), Vector(Some(0x7fffL), Some(3L)))
    )
    assert(miniBlock(packed(Flat.encoding(24), 16, 8), shape, 0, "") == Vector.empty)
  }

  test("rows that are cut short, or too many, are refused") {
    for (hex <- Seq("", "0100", "010002ff7f", "010002ff7f0300"))
      intercept[LanceFormatException](miniBlock(packed(Flat.encoding(24), 16, 8), shape, 2, hex))
  }

  test("a message that tells of other fields than the column's type is refused") {
    val others = Seq(
      packed(Flat.encoding(24), 8, 16),
      packed(Flat.encoding(24), 24),
      packed(Flat.encoding(32), 16, 8),
      packed(Flat.encoding(24)),
      packed(InlineBitpacking.encoding(32), 16, 8),
      CompressiveEncoding(Compression.PackedStruct(PackedStructMessage(Seq(16, 8), None)))
    )
    for (encoding <- others) intercept[LanceFormatException](miniBlock(encoding, shape, 1, "010002"))
    intercept[LanceFormatException](miniBlock(packed(Flat.encoding(24), 16, 8), FixedWidth(24), 1, "010002"))
    intercept[LanceFormatException](
      miniBlock(
        packed(Flat.encoding(40), 32, 8),
        Struct(Vector(VariableWidth(32), FixedWidth(8))),
        1,
        "0100000002"
      )
    )
  }

  test("booleans, which pylance writes but cannot read, are refused by name") {
    val error = intercept[UnsupportedLanceFeatureException](
      miniBlock(packed(Flat.encoding(9), 1, 8), Struct(Vector(FixedWidth(1), FixedWidth(8))), 1, "0100")
    )
    assert(error.feature == "booleans in packed structs")
  }

  private val variable = Struct(Vector(FixedWidth(8), VariableWidth(32), FixedSizeList(2, FixedWidth(8))))
  private val fields = Seq(
    FieldEncoding(Some(Flat.encoding(8))).withBitsPerValue(8),
    FieldEncoding(Some(Variable.encoding(32))).withBitsPerLength(32),
    FieldEncoding(
      Some(
        CompressiveEncoding(
          Compression.FixedSizeList(io.sparklance.proto.encodings.FixedSizeList(
            2,
            false,
            Some(Flat.encoding(8))
          ))
        )
      )
    ).withBitsPerValue(16)
  )

  private def perValue(fields: Seq[FieldEncoding], hex: String, shape: ValueShape = variable): Vector[Any] = {
    val encoding = CompressiveEncoding(Compression.VariablePackedStruct(VariablePackedStructMessage(fields)))
    val out = DataBlock.forShape(shape)
    val bytes: Slice = Hex.slice(hex)
    Decompressors.perValue(encoding, shape).decompress(bytes.array, bytes.offset, bytes.length, out)
    Blocks.values(out)
  }

  test("a struct with fields of varying width has these with their length in front") {
    assert(
      perValue(fields, "07 02000000 6162 0304") ==
        Vector(Vector(Some(7L), Some("ab".getBytes.toVector), Some(Vector(3L, 4L))))
    )
    assert(perValue(fields, "07 00000000 0304").size == 1)
  }

  test("a length that does not fit into its struct is refused, and so are bytes that no field claims") {
    for (
      hex <- Seq(
        "",
        "07",
        "07 0200",
        "07 03000000 6162 0304",
        "07 05000000 6162 0304",
        "07 ffffffff 6162 0304",
        "07 01000000 6162 0304",
        "07 02000000 6162 03",
        "07 02000000 6162 0304 05"
      )
    ) intercept[LanceFormatException](perValue(fields, hex))
  }

  test("a message of other fields, widths or layouts is refused") {
    val good = "07 02000000 6162 0304"
    val others = Seq(
      fields.init,
      fields :+ fields.head,
      fields.reverse,
      fields.updated(0, fields(0).withBitsPerValue(16)),
      fields.updated(0, fields(0).withBitsPerLength(32)),
      fields.updated(1, fields(1).withBitsPerLength(16)),
      fields.updated(1, fields(1).withBitsPerValue(32)),
      fields.updated(1, FieldEncoding(Some(Variable.encoding(64))).withBitsPerLength(64)),
      fields.updated(0, FieldEncoding(Some(Flat.encoding(8)))),
      fields.updated(0, FieldEncoding().withBitsPerValue(8))
    )
    for (some <- others) intercept[LanceFormatException](perValue(some, good))
    intercept[LanceFormatException](perValue(fields, good, VariableWidth(32)))
  }
}
