package io.sparklance.dataset.scan

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.schema.{Field, LogicalTypes}

class FieldWidthSuite extends AnyFunSuite {
  // Splits are cut by shares of a file's width.
  test("no type is taken for one without any width") {
    for (
      name <- Seq("null", "bool", "struct", "fixed_size_binary:0", "fixed_size_list:fixed_size_binary:0:3")
    )
      assert(FieldWidth.of(Field(0, "c", LogicalTypes.parse(name), nullable = true)) > 0, name)
  }
}
