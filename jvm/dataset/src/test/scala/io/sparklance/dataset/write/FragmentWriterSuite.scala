package io.sparklance.dataset.write

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{FileVersion, FixedBytesBlock, VariableBlock}
import io.sparklance.dataset.scan.Fragments
import io.sparklance.schema.LanceSchema
import io.sparklance.schema.LogicalType._
import io.sparklance.table.{DataFileName, WriteId}
import io.sparklance.testkit.{MemoryStore, RandomColumns}

class FragmentWriterSuite extends AnyFunSuite with Fragments {
  test("pages of many columns are smaller, so that all of them fit into the buffer") {
    def pageBytes(columns: Int): Long = {
      val numbers = RandomColumns.fields(Vector.fill(columns)(Integer(64, signed = true)))
      FragmentWriter.pageBytes(LanceSchema(numbers), bufferBytes = 256L << 20)
    }
    assert(Seq(1, 18).map(pageBytes) == Seq(FragmentWriter.DefaultPageBytes, FragmentWriter.DefaultPageBytes))
    // Arrays are larger than their values, by up to a half.
    Seq(19, 32, 10000).foreach(n => assert(pageBytes(n) * n * 3 / 2 <= (256L << 20) - 4 * pageBytes(n)))
  }

  test("a writer never holds more than a page of each column") {
    val few = RandomColumns.fields(Vector(Integer(64, signed = true), Utf8(large = false)))
    val writer = new FragmentWriter(new MemoryStore, "/t", LanceSchema(few), FileVersion.V2_2, 1000)
    val text = new Array[Byte](90)
    for (i <- 0 until 1000) {
      writer.columns.foreach { column =>
        column.values match {
          case b: VariableBlock => b.append(text, 0, text.length)
          case other => other.appendSlots(1)
        }
        column.nulls.appendValid(1)
      }
      writer.rowWritten()
      assert(writer.columns.forall(_.values.sizeInBytes < 1000), s"after row $i")
      assert(writer.rowsWritten == i + 1)
    }
    assert(writer.bytesWritten > 1000)
    writer.abort()
  }

  test("a writer keeps no room for a value that was larger than a page") {
    val few = RandomColumns.fields(Vector(Utf8(large = false), FixedSizeBinary(100000)))
    val writer = new FragmentWriter(new MemoryStore, "/t", LanceSchema(few), FileVersion.V2_2, 1000)
    val held = writer.columns.map(_.values).collect {
      case b: VariableBlock => () => b.bytes.length
      case b: FixedBytesBlock => () => b.bytes.length
    }
    for (size <- Seq(1000000, 10, 2000, 10)) {
      writer.columns.head.values match {
        case b: VariableBlock => b.append(new Array[Byte](size), 0, size)
        case other => fail(s"$other")
      }
      writer.columns(1).values.appendSlots(1)
      writer.columns.foreach(_.nulls.appendValid(1))
      writer.rowWritten()
      assert(held.size == 2 && held.forall(_() <= 2000))
    }
    writer.abort()
  }

  test("a forgotten value is noticed rather than written as a shift of all rows behind it") {
    val few = RandomColumns.fields(Vector(Bool, Bool))
    val writer = new FragmentWriter(new MemoryStore, "/t", LanceSchema(few), FileVersion.V2_2)
    writer.columns.head.appendNulls(1)
    writer.rowWritten()
    assert(intercept[IllegalStateException](
      writer.finish()
    ).getMessage.startsWith("column c1 has 0 values and 0 null flags after 1 rows"))
  }

  test("data file names are 24 binary and 26 hexadecimal digits of a UUID") {
    assert(
      DataFileName.of(java.util.UUID.fromString("a50f0102-0304-4506-8708-090a0b0c0d0e")) ==
        "101001010000111100000001" + "02030445068708090a0b0c0d0e" + ".lance"
    )
    assert(DataFileName.of(new java.util.UUID(0, 0)) == "0" * 50 + ".lance")
    val write = WriteId(0x0a0bL)
    val names = Vector.fill(2)(DataFileName.random(write))
    assert(names.distinct == names && names.forall(_.endsWith("0000000000000a0b.lance")))
    assert(names.forall(write.owns) && write.owns(s".tmp_${names.head}_1") &&
      !names.exists(WriteId.random().owns))
  }
}
