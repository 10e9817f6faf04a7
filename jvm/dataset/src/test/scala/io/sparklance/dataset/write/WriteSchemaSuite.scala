package io.sparklance.dataset.write

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.schema.{Field, LanceSchema, LogicalType}

class WriteSchemaSuite extends AnyFunSuite {

  private def field(name: String, children: Field*) = {
    val of = if (children.isEmpty) LogicalType.Integer(32, signed = true) else LogicalType.Struct
    Field(-1, name, of, nullable = true, children.toVector)
  }

  test("a new table's fields are numbered from 0, parents before their children") {
    val nested = LanceSchema(
      Vector(field("a"), field("s", field("x"), field("t", field("y"), field("z"))), field("b")),
      Map("k" -> "v")
    )
    val numbered = WriteSchema.forNewTable(nested)
    assert(numbered.preOrder.map(_.name) == nested.preOrder.map(_.name))
    assert(numbered.preOrder.map(_.id) == Vector(0, 1, 2, 3, 4, 5, 6))
    assert(numbered.metadata == nested.metadata)
    assert(WriteSchema.forNewTable(LanceSchema(Vector.empty)).fields.isEmpty)
  }
}
