package io.sparklance.encoding.logical

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{Column, Fixed32Block, StructBlock}
import io.sparklance.encoding.Slots
import io.sparklance.proto.encodings.RepDefLayer

/** Layers that pylance needs, though no level of theirs occurs. */
class ShredSuite extends AnyFunSuite {
  private val (nullable, valid) = (RepDefLayer.REPDEF_NULLABLE_ITEM, RepDefLayer.REPDEF_ALL_VALID_ITEM)

  /** Structs of structs of valid numbers. */
  private def shredded(isNull: Boolean): Slots = {
    val numbers = new Fixed32Block
    Seq(1, 0).foreach(numbers.append)
    val leaf = new Column(numbers)
    leaf.nulls.appendValid(2)
    val inner = around(leaf)
    inner.nulls.appendValid(2)
    val outer = around(inner)
    outer.nulls.appendValid(1)
    if (isNull) outer.nulls.appendNull(1) else outer.nulls.appendValid(1)
    Shred(Vector(outer, inner, leaf))
  }

  private def around(inside: Column): Column = {
    val structs = new StructBlock(Vector(inside))
    structs.advance(2)
    new Column(structs)
  }

  test("whatever is in a null struct is nullable, so that it is null when it is read alone") {
    val some = shredded(isNull = true)
    assert(some.kinds == Vector(nullable, nullable, nullable))
    assert(some.definition.exists(_.sameElements(Array[Short](0, 3))))
    val none = shredded(isNull = false)
    assert(none.kinds == Vector(valid, valid, valid) && none.definition.isEmpty)
  }
}
