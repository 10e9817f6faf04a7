package io.sparklance.schema

import com.google.protobuf.ByteString
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceFormatException
import io.sparklance.proto.file.{Field => ProtoField}
import io.sparklance.schema.LogicalType._

class SchemaCodecSuite extends AnyFunSuite {
  private val int32 = Integer(32, signed = true)

  private val schema = LanceSchema(
    Vector(
      Field(
        0,
        "id",
        int32,
        nullable = false,
        metadata = scala.Predef.Map("lance-schema:unenforced-primary-key" -> "true")
      ),
      Field(
        7,
        "s",
        Struct,
        nullable = true,
        Vector(
          Field(3, "x", Utf8(large = false), nullable = true),
          Field(
            9,
            "l",
            List(large = false, ofStruct = true),
            nullable = true,
            Vector(Field(
              4,
              "item",
              Struct,
              nullable = true,
              Vector(Field(5, "y", FloatingPoint(64), nullable = true))
            ))
          )
        )
      ),
      Field(
        6,
        "j",
        Json,
        nullable = true,
        metadata = scala.Predef.Map("ARROW:extension:name" -> "lance.json")
      )
    ),
    scala.Predef.Map("owner" -> "Zoë")
  )

  private def field(id: Int, parent: Int, logicalType: String): ProtoField =
    ProtoField(name = s"f$id", id = id, parentId = parent, logicalType = logicalType, nullable = true)

  test("a nested schema survives being written and read, ids and metadata included") {
    val fields = SchemaCodec.encodeFields(schema)
    assert(fields.map(f => (f.id, f.parentId)) ==
      Vector((0, -1), (7, -1), (3, 7), (9, 7), (4, 9), (5, 4), (6, -1)))
    assert(SchemaCodec.decode(fields, SchemaCodec.encodeMetadata(schema)) == schema)
  }

  test("what repeats field metadata elsewhere in the message agrees with it") {
    val fields = SchemaCodec.encodeFields(schema)
    assert(fields.last.extensionName == "lance.json")
    assert(fields.head.unenforcedPrimaryKey && !fields.last.unenforcedPrimaryKey)
  }

  test("the bytes of a field are those that pylance 14.0.2 writes") {
    val bytes =
      SchemaCodec.encodeFields(LanceSchema(Vector(Field(0, "a", int32, nullable = true)))).head.toByteArray
    val expected = "120161" + "20ffffffffffffffffff01" + "2a05696e743332" + "3001" + "3801"
    assert(bytes.map(b => f"$b%02x").mkString == expected)
  }

  test("a schema without fields is one") {
    assert(SchemaCodec.decode(Nil) == LanceSchema(Vector.empty))
  }

  private def reason(fields: ProtoField*): String =
    intercept[LanceFormatException](SchemaCodec.decode(fields)).reason

  test("a field before its parent, below itself or below nothing is bad data") {
    assert(reason(
      field(1, 0, "int32"),
      field(0, -1, "struct")
    ).contains("the parent 0 of field 1 (f1) does not precede it"))
    assert(reason(field(1, 1, "struct")).contains("the parent 1 of field 1 (f1) does not precede it"))
    assert(reason(field(1, 2, "struct"), field(2, 1, "struct")).contains("does not precede it"))
    assert(reason(field(0, 99, "int32")).contains("the parent 99"))
  }

  test("an id given twice is bad data") {
    assert(reason(
      field(1, -1, "int32"),
      field(1, -1, "int32")
    ).contains("field 1 (f1) has an id that is taken"))
    assert(reason(field(-1, -1, "int32")).contains("has an id that is taken"))
  }

  test("a type must have the children that it needs and no others") {
    assert(reason(field(0, -1, "list")).contains("of type list has 0 child fields"))
    assert(reason(field(0, -1, "int32"), field(1, 0, "int32")).contains("of type int32 has 1 child fields"))
    assert(reason(
      field(0, -1, "map"),
      field(1, 0, "int32"),
      field(2, 0, "int32")
    ).contains("of type map has 2"))
    assert(reason(
      field(0, -1, "fixed_size_list:float:2"),
      field(1, 0, "float")
    ).contains("has 1 child fields"))
  }

  test("a tower of structs is refused before anything recurses into it") {
    val tower = (0 until 100000).map(i => field(i, i - 1, "struct"))
    assert(reason(tower: _*).contains("is nested more than 100 levels deep"))
    assert(SchemaCodec.decode(tower.take(100)).preOrder.size == 100)
  }

  test("a column of an unknown type, whatever is in it, does not stop a schema from being read") {
    val fields =
      Seq(field(0, -1, "int32"), field(1, -1, "union"), field(2, 1, "int32"), field(3, 1, "string"))
    val schema = SchemaCodec.decode(fields)
    assert(schema.fields.map(_.logicalType) == Vector(Integer(32, signed = true), Unknown("union")))
    assert(SchemaCodec.encodeFields(schema).map(_.logicalType) == fields.map(_.logicalType))
  }

  test("metadata that is no UTF-8 does not stop a schema from being read") {
    val odd =
      field(0, -1, "int32").copy(metadata = scala.Predef.Map("k" -> ByteString.copyFrom(Array[Byte](-1))))
    assert(SchemaCodec.decode(Seq(odd)).fields.head.metadata.keySet == Set("k"))
  }
}
