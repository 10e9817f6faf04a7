package io.sparklance.dataset.scan

import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{Column, FileVersion, Slice, ValueShape, VariableBlock}
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.encoding.logical.PrimitiveField
import io.sparklance.encoding.physical.{General, Variable}
import io.sparklance.encoding.structural.FullZip
import io.sparklance.encoding.{EncodedPage, Slots}
import io.sparklance.file.FileWriter
import io.sparklance.proto.encodings.PageLayout.Layout
import io.sparklance.proto.encodings.{
  BufferCompression,
  CompressionScheme,
  ConstantLayout,
  PageLayout,
  RepDefLayer
}
import io.sparklance.schema.LogicalType._
import io.sparklance.schema.{Field, LanceSchema, Leaf}
import io.sparklance.testkit.{Blocks, MemoryStore, RandomColumns}

/** Columns of 1 MiB strings, which take next to nothing in the file. */
class LargeBatchesSuite extends AnyFunSuite with Fragments {

  /** A column of 1 MiB strings, which take next to nothing in the file, beside their numbers. */
  private def largeStrings(
      store: MemoryStore,
      fields: Vector[Field],
      rows: Int,
      strings: EncodedPage
  ): FragmentTask = {
    val writer = new FileWriter(store.create("/t/data/large.lance"), LanceSchema(fields), FileVersion.V2_2)
    val numbers = Blocks.column(PrimitiveField.shapeOf(fields(0)), (0 until rows).map(i => Some(i.toLong)))
    writer.writePage(0, PrimitiveField.encode(numbers, fields(0), FileVersion.V2_2), 0)
    writer.writePage(1, strings, 0)
    val size = writer.finish()
    task(
      WrittenFile(
        "large.lance",
        fields.map(_.id),
        fields.indices.toVector,
        FileVersion.V2_2,
        size,
        rows.toLong
      ),
      fields
    )
  }

  private val large = 1 << 20

  private def constant(rows: Int): EncodedPage = {
    val buffer = java.nio.ByteBuffer.allocate(20 + large).order(java.nio.ByteOrder.LITTLE_ENDIAN)
    Seq(2, 8, large, 0, large).foreach(buffer.putInt)
    val layout = ConstantLayout(layers = Seq(RepDefLayer.REPDEF_ALL_VALID_ITEM))
    EncodedPage(Vector(Slice(buffer.array)), PageLayout(Layout.ConstantLayout(layout)), rows.toLong)
  }

  private def dictionary(rows: Int): EncodedPage = {
    val number = RandomColumns.fields(Vector(Integer(32, signed = true))).head
    val positions = Blocks.column(ValueShape.FixedWidth(32), (0 until rows).map(i => Some(i % 2L)))
    val page = PrimitiveField.encode(positions, number, FileVersion.V2_2)
    val items = new VariableBlock
    (0 until 2).foreach(_ => items.append(new Array[Byte](large), 0, large))
    val encoded = Variable.blockCompressor(32).compress(items)
    val layout =
      page.layout.getMiniBlockLayout.copy(dictionary = Some(encoded.encoding), numDictionaryItems = 2)
    page.copy(buffers = page.buffers :+ encoded.buffer, layout = PageLayout(Layout.MiniBlockLayout(layout)))
  }

  private def compressed(rows: Int): EncodedPage = {
    val strings = new VariableBlock
    (0 until rows).foreach(_ => strings.append(new Array[Byte](large), 0, large))
    val column = new Column(strings)
    column.nulls.appendValid(rows)
    val zstd = BufferCompression(CompressionScheme.COMPRESSION_ALGORITHM_ZSTD)
    val compressor = General.perValueCompressor(zstd, Variable.perValueCompressor(32))
    FullZip.encode(column, ValueShape.VariableWidth(32), Slots.of(column.nulls), Some(compressor))
  }

  for (
    (name, page, rows) <-
      Seq[(String, Int => EncodedPage, Int)](
        ("constant", constant, 5000),
        ("compressed", compressed, 50),
        ("dictionary", dictionary, 1500)
      )
  )
    test(s"batches of large values are cut by their bytes, all columns alike: $name") {
      val few = RandomColumns.fields(Vector(Integer(64, signed = true), Utf8(large = false)))
      val store = new MemoryStore
      val all = deleting(store, largeStrings(store, few, rows, page(rows)), Seq(3, 4, 40))
      // With a filter the strings are not decoded row after row, but chosen.
      for (predicate <- Seq(Predicate.Always, Predicate.NotNull(Leaf(Vector.empty, few.head))))
        Using.resource(FragmentReader.open(store, all.copy(predicate = predicate), 4096)) { reader =>
          val numbers = Iterator.continually(reader.next()).takeWhile(identity).flatMap { _ =>
            assert(reader.columns(1).values.sizeInBytes < 32 * large)
            Blocks.rows(reader.columns(0)).take(reader.rowCount)
          }
          assert(numbers.toVector == (0 until rows).filterNot(Set(3, 4, 40)).map(i => Some(i.toLong)))
        }
    }
}
