package io.sparklance.spark.index

import org.scalatest.funsuite.AnyFunSuite

class OneOpenSuite extends AnyFunSuite {
  private var open = Set.empty[Int]

  private class Element(val number: Int) extends AutoCloseable {
    open += number
    def close(): Unit = open -= number
  }

  test("only the last element is open, until the end closes it") {
    val elements = new OneOpen(Iterator(1, 2, 3).map(new Element(_)))
    elements.foreach(element => assert(open == Set(element.number)))
    elements.close()
    assert(open.isEmpty)
  }
}
