package io.sparklance.dataset.write

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{FileVersion, Fixed64Block}
import io.sparklance.schema.{Field, LanceSchema, LogicalType}
import io.sparklance.table.WriteId
import io.sparklance.testkit.MemoryStore

/** A file is full at the first limit that it reaches; bytes and pages are counted at intervals. */
class FileLimitsSuite extends AnyFunSuite {
  private val schema =
    LanceSchema(Vector(Field(0, "x", LogicalType.Integer(64, signed = true), nullable = true)))

  /** The number of rows after which a file is full, and the most that could be appended before the first of
    * them.
    */
  private def rowsUntilFull(limits: FileLimits, maxPageBytes: Long = 800): (Int, Long) = {
    val format = DataFileFormat(FileVersion.V2_2, maxPageBytes)
    val writer = new FragmentWriter(new MemoryStore, "/t", schema, format, WriteId(1), limits)
    val first = writer.rowsUntilFull
    val column = writer.columns.head
    val rows = Iterator.from(1).take(10000).find { i =>
      column.values match {
        case block: Fixed64Block => block.append(i.toLong)
        case other => fail(s"numbers in a ${other.getClass}")
      }
      column.nulls.appendValid(1)
      writer.rowWritten()
      writer.isFull
    }
    writer.abort()
    (rows.getOrElse(0), first)
  }

  test("rows") {
    assert(rowsUntilFull(FileLimits.none.copy(maxRows = 70)) == ((70, 70L)))
    assert(rowsUntilFull(FileLimits.none.copy(maxRows = 700)) == ((700, 100L)))
  }

  test("bytes, which are those that wait, too") {
    assert(rowsUntilFull(FileLimits(Long.MaxValue, maxBytes = 80)) == ((10, 100L)))
    assert(rowsUntilFull(FileLimits(Long.MaxValue, maxBytes = 80, rowsBetweenChecks = 64)) == ((64, 100L)))
  }

  test("pages") {
    assert(rowsUntilFull(FileLimits(Long.MaxValue, Long.MaxValue, maxPages = 3)) == ((300, 100L)))
  }

  test("without limits a file is never full") {
    assert(rowsUntilFull(FileLimits.none) == ((0, 100L)))
  }
}
