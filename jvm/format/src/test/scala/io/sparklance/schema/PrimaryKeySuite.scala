package io.sparklance.schema

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceUsageException
import io.sparklance.schema.PrimaryKey.{Flag, Position}

final class PrimaryKeySuite extends AnyFunSuite {
  private val int = LogicalType.Integer(32, signed = true)

  private def column(id: Int, name: String, metadata: (String, String)*): Field =
    Field(id, name, int, nullable = false, metadata = metadata.toMap)

  test("columns are ordered by their position, then the flagged ones by their id") {
    val inner = column(5, "day", Position -> "1")
    val struct = Field(4, "s", LogicalType.Struct, nullable = false, Vector(inner))
    val schema = LanceSchema(
      Vector(
        column(3, "c", Flag -> "YES"),
        column(0, "a", Flag -> "1"),
        column(1, "b", Position -> "2", Flag -> "false"),
        column(2, "none", Flag -> "false"),
        struct
      )
    )
    assert(PrimaryKey.of(schema) == Vector("s.day", "b", "a", "c"))
    PrimaryKey.check(schema)
  }

  test("a position that is not a number is ignored, and the flag counts") {
    assert(PrimaryKey.position(Map(Position -> "x", Flag -> "true")).contains(0))
    assert(PrimaryKey.position(Map(Position -> "x")).isEmpty)
    assert(PrimaryKey.position(Map(Position -> "-1")).isEmpty)
    assert(PrimaryKey.position(Map(Position -> "3")).contains(3))
  }

  test("a nullable field, one with fields, and one in a list cannot be in a key") {
    val key = column(1, "k", Flag -> "true")
    val wrong = Seq(
      key.copy(nullable = true),
      Field(0, "s", LogicalType.Struct, nullable = true, Vector(key)),
      Field(0, "l", LogicalType.List(large = false, ofStruct = false), nullable = false, Vector(key)),
      Field(0, "s", LogicalType.Struct, nullable = false, Vector(key), Map(Flag -> "true"))
    )
    wrong.foreach { field =>
      val schema = LanceSchema(Vector(field))
      assert(intercept[LanceUsageException](
        PrimaryKey.check(schema)
      ).getMessage.contains("cannot be in the primary key"))
      PrimaryKey.check(PrimaryKey.whereValid(schema))
    }
    assert(PrimaryKey.whereValid(LanceSchema(Vector(key))) == LanceSchema(Vector(key)))
  }
}
