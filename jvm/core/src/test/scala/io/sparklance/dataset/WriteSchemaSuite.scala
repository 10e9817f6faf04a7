package io.sparklance.dataset

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceUsageException
import io.sparklance.schema.{Field, LanceSchema, LogicalType}

class WriteSchemaSuite extends AnyFunSuite {
  private val int = LogicalType.Integer(32, signed = true)
  private val long = LogicalType.Integer(64, signed = true)

  private def field(
      name: String,
      id: Int = -1,
      of: LogicalType = int,
      nullable: Boolean = true
  )(children: Field*) =
    Field(id, name, of, nullable, children.toVector)

  private val nested = LanceSchema(
    Vector(field("a")(), field("s", of = LogicalType.Struct)(field("x")(), field("y")()), field("b")()),
    Map("k" -> "v")
  )

  test("a new table's fields are numbered from 0, parents before their children") {
    val numbered = WriteSchema.forNewTable(nested)
    assert(numbered.preOrder.map(f => f.name -> f.id) ==
      Vector("a" -> 0, "s" -> 1, "x" -> 2, "y" -> 3, "b" -> 4))
    assert(numbered.metadata == Map("k" -> "v"))
    assert(WriteSchema.forNewTable(LanceSchema(Vector.empty)).fields.isEmpty)
  }

  private val table = LanceSchema(
    Vector(
      field("a", 7)(),
      field("s", 2, LogicalType.Struct)(field("x", 9)(), field("y", 4)()),
      field("b", 5, nullable = false)()
    )
  )

  test("appended columns get the table's fields, by name and in their own order") {
    val columns =
      LanceSchema(Vector(field("b")(), field("s", of = LogicalType.Struct)(field("y")()), field("a")()))
    val fields = WriteSchema.forAppend(table, columns)
    assert(fields.preOrder.map(_.id) == Vector(5, 2, 4, 7))
    assert(!fields.fields.head.nullable)
  }

  private def refusal(columns: Field*) =
    intercept[LanceUsageException](WriteSchema.forAppend(table, LanceSchema(columns.toVector))).getMessage

  test("what does not fit is refused with a cure") {
    assert(
      refusal(field("b")(), field("c")()) ==
        "The rows do not fit the table: the table has no column c; it has a, s, b. " +
        "Rename or drop the column, or overwrite the table."
    )
    assert(
      refusal(field(
        "b",
        of = long
      )()).contains("column b is int32 in the table and int64 here. Cast it to the table's type")
    )
    assert(refusal(field("a")()).contains("column b must not be null in the table and is missing"))
    assert(refusal(field("b")(), field("b")()).contains("column b occurs twice"))
    assert(refusal(
      field("b")(),
      field("s", of = LogicalType.Struct)(field("z")())
    ).contains("no column s.z; it has s.x, s.y"))
  }
}
