package io.sparklance.dataset.scan

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.FileVersion
import io.sparklance.dataset.write.FragmentWriter
import io.sparklance.dataset.{Dataset, TableDefinition}
import io.sparklance.schema.LanceSchema
import io.sparklance.schema.LogicalType.{FixedSizeBinary, Integer}
import io.sparklance.testkit.{MemoryStore, RandomColumns}

class StoredWidthSuite extends AnyFunSuite {
  private val fields = RandomColumns.fields(Vector(Integer(32, signed = true), FixedSizeBinary(500)))

  private def table(store: MemoryStore, rows: Int*): Dataset = {
    val random = new scala.util.Random(1)
    val files = rows.toVector.map { count =>
      val writer = new FragmentWriter(store, "/t", LanceSchema(fields), FileVersion.V2_1)
      for (_ <- 0 until count) {
        fields.indices.foreach { i =>
          RandomColumns.fill(writer.columns(i), fields(i), 1, RandomColumns.Anything, 0.0, random)
        }
        writer.rowWritten()
      }
      writer.finish()
    }
    Dataset.create(store, "/t", TableDefinition(LanceSchema(fields), FileVersion.V2_1), files)
  }

  private def width(dataset: Dataset, columns: Int*): Option[Double] =
    StoredWidth.of(dataset, columns.toVector.map(dataset.schema.fields))

  test("the width of a row is that of the wanted columns on disk") {
    val store = new MemoryStore
    val dataset = table(store, 5, 2000)
    val (number, bytes, both) = (width(dataset, 0).get, width(dataset, 1).get, width(dataset, 0, 1).get)
    assert(number > 3 && number < 6 && bytes > 10 * number, (number, bytes))
    assert(math.abs(both - number - bytes) < 0.01)
    val file = store.paths.filter(_.endsWith(".lance")).map(store.bytes(_).length).max
    assert(both * 2000 < file && both * 2000 > 0.9 * file, (both, file))
    assert(width(dataset).contains(0.0))
  }

  test("only one file is asked, and only for its metadata") {
    val store = new MemoryStore
    val dataset = table(store, 5, 2000, 7)
    store.forgetReads()
    assert(width(dataset, 1).isDefined)
    assert(store.reads.map(_.length).sum < 100000)
  }

  test("the width of an empty table, of too many columns, and of a damaged file is unknown") {
    assert(width(table(new MemoryStore), 0).isEmpty)
    val store = new MemoryStore
    val dataset = table(store, 10)
    val many = RandomColumns.fields(Vector.fill(257)(Integer(32, signed = true)))
    assert(StoredWidth.of(dataset, many).isEmpty)
    val file = store.paths.find(_.endsWith(".lance")).get
    store.put(file, store.bytes(file).dropRight(10))
    assert(width(dataset, 0).isEmpty)
    store.delete(file)
    assert(width(dataset, 0).isEmpty)
  }
}
