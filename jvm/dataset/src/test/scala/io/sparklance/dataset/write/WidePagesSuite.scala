package io.sparklance.dataset.write

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.{Random, Using}

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{ColumnCopy, FileVersion, VariableBlock}
import io.sparklance.dataset.scan.{DataFilePages, ScanPlan, SplitReader, SplitTarget}
import io.sparklance.dataset.{Dataset, TableDefinition}
import io.sparklance.io.ObjectStore
import io.sparklance.schema.LogicalType.Integer
import io.sparklance.schema.{Field, LanceSchema, LogicalType}
import io.sparklance.table.WriteId
import io.sparklance.testkit.{ColumnText, DelegatingStore, MemoryStore, RandomColumns}

class WidePagesSuite extends AnyFunSuite {
  private val rows = 1000
  private val mark = WriteId.random()

  private def format(version: FileVersion, sizes: PageSizes): DataFileFormat =
    DataFileFormat(version, sizes.buffered, pageBytes = sizes.joined)

  private def writer(store: ObjectStore, fields: Vector[Field], format: DataFileFormat) =
    new FragmentWriter(store, "/t", LanceSchema(fields), format, mark, FileLimits.none)

  /** Appends rows in batches. Returns their texts, column by column. */
  private def fill(writer: FragmentWriter, fields: Vector[Field]): Vector[Vector[String]] = {
    val random = new Random(5)
    val texts = Vector.tabulate(rows / 50) { _ =>
      val written = fields.map { field =>
        val batch = RandomColumns.column(field)
        RandomColumns.fill(batch, field, 50, RandomColumns.Anything, 0.2, random)
        batch
      }
      (0 until 50).foreach { i =>
        writer.columns.zip(written).foreach { case (to, from) =>
          ColumnCopy.append(from, i, i + 1, to)
        }
        writer.rowWritten()
      }
      written.map(ColumnText.of(_, 50))
    }
    fields.indices.toVector.map(i => texts.flatMap(_(i)))
  }

  private def read(dataset: Dataset): Vector[Vector[String]] = {
    val splits = ScanPlan.splits(dataset, dataset.schema.fields, SplitTarget.Rows(Long.MaxValue))
    Using.resource(new SplitReader(dataset.store, splits.head, 333)) { reader =>
      val batches = Iterator.continually(reader.next()).takeWhile(identity).map { _ =>
        reader.columns.map(ColumnText.of(_, reader.rowCount))
      }.toVector
      dataset.schema.fields.indices.toVector.map(i => batches.flatMap(_(i)))
    }
  }

  private def temporary: Set[Path] =
    Using.resource(Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      _.iterator.asScala.filter(_.getFileName.toString.startsWith(SpilledColumns.prefix(mark))).toSet
    }

  test("pages of many columns have their size, within the same buffer") {
    val (mib, buffer) = (1L << 20, 256L << 20)
    def sizes(columns: Int): PageSizes = {
      val numbers = RandomColumns.fields(Vector.fill(columns)(Integer(64, signed = true)))
      FragmentWriter.pageSizes(LanceSchema(numbers), buffer)
    }
    assert(sizes(18) == PageSizes(8 * mib, None) && sizes(500).joined.isEmpty)
    Seq(700, 5000, 10000).foreach { columns =>
      val of = sizes(columns)
      assert(of.joined.contains(8 * mib) && of.buffered * columns * 3 / 2 + 5 * 8 * mib <= buffer)
    }
  }

  /** Rows that were written and read, and numbers of pages. */
  private case class Outcome(rows: Vector[Vector[String]], pages: Int, runts: Long)

  private def outcome(version: FileVersion, sizes: PageSizes): Outcome = {
    val fields = RandomColumns.fields(RandomColumns.types)
    val store = new MemoryStore
    val open = writer(store, fields, format(version, sizes))
    val written = fill(open, fields)
    val file = open.finish()
    val dataset = Dataset.create(store, "/t", TableDefinition(LanceSchema(fields), version), Vector(file))
    assert(read(dataset) == written)
    val columns = DataFilePages.all(dataset).flatMap(_.read(store, DataFilePages.fields(dataset.schema)))
    Outcome(written, columns.map(_.pages.size).sum, file.pages.runts)
  }

  FileVersion.writable.foreach { version =>
    test("values that waited in a temporary file are as if they had not, in " + version) {
      val joined = outcome(version, PageSizes(100, Some(3000)))
      val whole = outcome(version, PageSizes(3000, None))
      val parts = outcome(version, PageSizes(100, None))
      assert(joined.rows == whole.rows && whole.rows == parts.rows)
      assert(joined.pages < parts.pages / 5 && joined.pages <= whole.pages * 2 && parts.runts > 0)
    }
  }

  test("large values, and rows that end early, need no temporary file's room; none is left") {
    val fields = RandomColumns.fields(Vector(LogicalType.Utf8(large = false), Integer(64, signed = true)))
    val store = new MemoryStore
    val open = writer(store, fields, format(FileVersion.V2_2, PageSizes(100, Some(1000))))
    val texts = (0 until 60).map { i =>
      val text = "x" * (if (i % 20 == 7) 5000 else i)
      open.columns.head.values match {
        case strings: VariableBlock => strings.append(text.getBytes, 0, text.length)
        case other => fail(s"$other")
      }
      open.columns(1).values.appendSlots(1)
      open.columns.foreach(_.nulls.appendValid(1))
      open.rowWritten()
      text
    }
    // Where a file may be removed while it is open, it has no name from the start.
    assert(temporary.size <= 1)
    val definition = TableDefinition(LanceSchema(fields), FileVersion.V2_2)
    val dataset = Dataset.create(store, "/t", definition, Vector(open.finish()))
    assert(read(dataset).head.map(_.length) == texts.map(2 * _.length))
    assert(temporary.isEmpty)
    val aborted = writer(store, fields, format(FileVersion.V2_2, PageSizes(100, Some(1000))))
    val _ = fill(aborted, fields)
    aborted.abort()
    assert(temporary.isEmpty)
  }

  test("a writer that cannot open its file leaves no temporary file") {
    val full = new DelegatingStore(new MemoryStore) {
      override def create(path: String) = throw new java.io.IOException("full")
    }
    val fields = RandomColumns.fields(Vector(Integer(64, signed = true)))
    intercept[java.io.IOException](writer(full, fields, format(FileVersion.V2_2, PageSizes(1, Some(9)))))
    assert(temporary.isEmpty)
  }
}
