package io.sparklance.dataset.scan

import scala.util.{Random, Using}

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.FileVersion
import io.sparklance.dataset.write.FragmentWriter
import io.sparklance.dataset.{Dataset, TableDefinition}
import io.sparklance.schema.LanceSchema
import io.sparklance.schema.LogicalType.Integer
import io.sparklance.testkit.{ColumnText, MemoryStore, RandomColumns}

/** Cost of reading a few columns of a table with very many. */
class WideTableSuite extends AnyFunSuite {
  private val fields = RandomColumns.fields(Vector.fill(10000)(Integer(32, signed = true)))
  private val rows = 20

  private def write(store: MemoryStore): Vector[Vector[String]] = {
    val writer = new FragmentWriter(store, "/t", LanceSchema(fields), FileVersion.V2_2)
    val random = new Random(1)
    for (_ <- 0 until rows) {
      fields.indices.foreach { i =>
        RandomColumns.fill(writer.columns(i), fields(i), 1, RandomColumns.Anything, 0.1, random)
      }
      writer.rowWritten()
    }
    val texts = writer.columns.map(ColumnText.of(_, rows))
    Dataset.create(
      store,
      "/t",
      TableDefinition(LanceSchema(fields), FileVersion.V2_2),
      Vector(writer.finish())
    )
    texts
  }

  test(
    "of ten thousand columns three are opened, planned and read by less than a megabyte, manifest included"
  ) {
    val store = new MemoryStore
    val texts = write(store)
    val wanted = Vector(9999, 0, 5000)
    store.forgetReads()
    val dataset = Dataset.open(store, "/t")
    val splits = ScanPlan.splits(dataset, wanted.map(dataset.schema.fields), SplitTarget.Bytes(1 << 20))
    val planned = store.reads.map(_.length).sum
    assert(splits.flatMap(_.tasks).flatMap(_.files).flatMap(_.fieldIds) == wanted.sorted)
    Using.resource(new SplitReader(store, splits.head, batchRows = rows)) { reader =>
      assert(reader.next() && reader.columns.map(ColumnText.of(_, rows)) == wanted.map(texts))
    }
    val read = store.reads.map(_.length).sum
    info(s"$planned bytes to plan, $read in all, by ${store.reads.size} reads")
    assert(read < (1 << 20), store.reads)
  }
}
