package io.sparklance.file

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{Column, Fixed64Block}
import io.sparklance.{Location, UnsupportedLanceFeatureException}

class FixedSizeListCursorSuite extends AnyFunSuite {

  /** Rows of 8 bytes, of which a batch has at most `batch`. */
  private class Items(batch: Int) extends RowCursor {
    val column: Column = new Column(new Fixed64Block)
    def ensure(rows: Int): Int = {
      if (column.length < math.min(rows, batch)) complete(math.min(rows, batch))
      math.min(rows, column.length)
    }
    def complete(rows: Int): Unit = column.appendNulls(rows - column.length)
  }

  test("rows are as many as have all of their items") {
    val items = new Items(batch = 7)
    assert(new FixedSizeListCursor(Location(), items, 3).ensure(5) == 2)
    assert(new FixedSizeListCursor(Location(), new Items(batch = 100), 3).ensure(5) == 5)
  }

  test("without rows nothing is decoded") {
    val items = new Items(batch = 7)
    assert(new FixedSizeListCursor(Location(), items, 3).ensure(0) == 0)
    assert(items.column.length == 0)
  }

  test("one row is completed at least, whatever a batch has") {
    val items = new Items(batch = 7)
    assert(new FixedSizeListCursor(Location(), items, 5000).ensure(5) == 1)
    assert(items.column.length == 5000)
  }

  test("a row of more bytes than memory should hold is refused before it is decoded in full") {
    val items = new Items(batch = 7)
    val error = intercept[UnsupportedLanceFeatureException](
      new FixedSizeListCursor(Location(), items, Int.MaxValue, maxBytes = 1 << 20).ensure(5)
    )
    assert(error.feature == "rows of 2147483647 structs with more than 1048576 bytes")
    assert(items.column.values.sizeInBytes < (1 << 20) + 16384)
  }
}
