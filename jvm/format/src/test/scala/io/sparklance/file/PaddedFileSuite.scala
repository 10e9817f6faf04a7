package io.sparklance.file

import java.io.ByteArrayOutputStream
import java.nio.file.{Files, Paths}

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceFormatException
import io.sparklance.data.{ByteRange, LittleEndian, RowRange, Slice}
import io.sparklance.testkit.{MemoryStore, Scans}

/** Files of pylance, rearranged as other writers may: buffers at multiples of 4096, and global buffers of
  * their own.
  */
class PaddedFileSuite extends AnyFunSuite {
  private val alignment = 4096

  for (version <- Seq("2.0", "2.1", "2.2"); kind <- Seq("flat", "many", "empty"))
    test(s"${kind}_$version reads the same when padded to $alignment bytes and with more global buffers") {
      val original = golden(s"${kind}_$version")
      val padded = relaid(original)
      assert(padded.length % alignment != 0 && padded.length > original.length)
      assert(read(padded) == read(original))
      val some = RowRange(7, 23)
      assert(read(padded, some) == read(original, some))
    }

  test("a padded file that lost its end is refused") {
    val padded = relaid(golden("flat_2.2"))
    for (cut <- Seq(1, 39, 40, alignment)) intercept[LanceFormatException](read(padded.dropRight(cut)))
  }

  private def golden(name: String): Array[Byte] =
    Files.readAllBytes(Paths.get(s"tests/golden/$name.lance").toAbsolutePath)

  private def read(
      file: Array[Byte],
      rows: RowRange = RowRange(0, Long.MaxValue)
  ): Map[String, Vector[String]] = {
    val store = new MemoryStore
    store.put("f", file)
    Scans.read(store, "f", rows)
  }

  /** Rewrites a file with a page of zeroes in front and other global buffers at the end. */
  private def relaid(file: Array[Byte]): Array[Byte] = {
    val size = file.length.toLong
    val all = Slice(file)
    val footer = Footer.parse(all.slice(size - Footer.Size, Footer.Size.toLong, "the footer"), size)
    def entry(at: ByteRange): Slice = {
      val pointer = all.slice(at.offset, at.length, "an entry")
      all.slice(pointer.long(0), pointer.long(8), "what an entry points to")
    }
    val out = new Layout
    out.append(Slice(new Array[Byte](10)))
    val columns = (0 until footer.columns).map { i =>
      val column = ColumnMetadata.parse(entry(footer.columnEntry(i)), size, footer.version)
      ColumnMetadata.print(column.copy(pages = column.pages.map { page =>
        page.copy(buffers = page.buffers.map(b => out.append(all.slice(b.offset, b.length, "a buffer"))))
      }))
    }
    val others = Seq("one", "", "another global buffer").map(text => out.append(Slice(text.getBytes)))
    val globals = out.append(entry(footer.schemaEntry)) +: others
    val metadata = columns.map(column => out.append(Slice(column)))
    val columnTable = out.table(metadata)
    val globalTable = out.table(globals)
    val first = metadata.headOption.fold(columnTable)(_.offset)
    out.end(Footer(first, columnTable, globalTable, globals.size, columns.size, footer.version).print)
  }

  final private class Layout {
    private val out = new ByteArrayOutputStream

    def append(bytes: Slice): ByteRange = {
      out.write(new Array[Byte]((alignment - out.size % alignment) % alignment))
      val start = out.size.toLong
      out.write(bytes.array, bytes.offset, bytes.length)
      ByteRange(start, bytes.length.toLong)
    }

    /** Writes a table of ranges, and returns its start. */
    def table(ranges: Seq[ByteRange]): Long = {
      val bytes = new Array[Byte](16 * ranges.size)
      ranges.zipWithIndex.foreach { case (range, i) =>
        LittleEndian.putLong(bytes, 16 * i, range.offset)
        LittleEndian.putLong(bytes, 16 * i + 8, range.length)
      }
      append(Slice(bytes)).offset
    }

    def end(footer: Array[Byte]): Array[Byte] = {
      out.write(footer)
      out.toByteArray
    }
  }
}
