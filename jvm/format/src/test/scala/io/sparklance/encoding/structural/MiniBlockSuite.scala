package io.sparklance.encoding.structural

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceFormatException
import io.sparklance.data.{FileVersion, NullMask, RowRange, Slice, ValueShape}
import io.sparklance.encoding.physical.{Flat, InlineBitpacking, Rle, Variable}
import io.sparklance.encoding.{EncodedPage, Slots}
import io.sparklance.proto.encodings.{MiniBlockLayout, PageLayout, RepDefLayer}
import io.sparklance.testkit.{Blocks, Hex, Pages}

class MiniBlockSuite extends AnyFunSuite {
  private val int32 = ValueShape.FixedWidth(32)

  /** `[1, null, 3, 4, 5]` as an independent writer laid it out, and pylance read it. */
  private val example = EncodedPage(
    Vector(
      Hex.slice("50000000"),
      Hex.slice(
        "05000a0014000000" + "00000100000000000000 fefefefefefe" +
          "01000000 00000000 03000000 04000000 05000000 fefefefe"
      )
    ),
    PageLayout.parseFrom(Hex.slice("0a15 12040a020810 1a040a020820 320103 3801 4805 5001").toArray),
    5
  )

  test("a chunk is header, levels and values, each padded to 8 bytes") {
    val rows = Blocks.rows(Pages.readAll(example, int32, FileVersion.V2_2))
    assert(rows == Vector(Some(1L), None, Some(3L), Some(4L), Some(5L)))
  }

  private def layout(page: EncodedPage)(change: MiniBlockLayout => MiniBlockLayout): EncodedPage =
    page.copy(layout = PageLayout(PageLayout.Layout.MiniBlockLayout(change(page.layout.getMiniBlockLayout))))

  private def refusal(page: EncodedPage): String =
    intercept[LanceFormatException](Pages.readAll(page, int32, FileVersion.V2_2)).getMessage

  private def overwritten(page: EncodedPage, at: Int, hex: String): EncodedPage = {
    val bytes = page.buffers(1).toArray
    System.arraycopy(Hex.slice(hex).array, 0, bytes, at, hex.length / 2)
    page.copy(buffers = page.buffers.updated(1, Slice(bytes)))
  }

  test("contradictions of description and bytes are refused") {
    assert(refusal(layout(example)(_.copy(numItems = 4))) == "4 values in a page of 5 rows")
    assert(refusal(layout(example)(_.copy(numBuffers = 0))) == "chunks of 0 value buffers")
    assert(refusal(layout(example)(_.copy(numBuffers = -1))) == "chunks of -1 value buffers")
    assert(refusal(layout(example)(_.copy(numBuffers = 257))) == "chunks of 257 value buffers")
    assert(
      refusal(layout(example)(_.copy(layers = Seq(RepDefLayer.REPDEF_ALL_VALID_ITEM)))) ==
        "definition levels in a page whose layers have none"
    )
    assert(refusal(overwritten(example, 0, "0400")) == "4 levels, not 5, for the 5 values of a chunk")
    assert(refusal(overwritten(example, 4, "ffffffff")).startsWith("a value buffer claims bytes"))
    assert(refusal(overwritten(example, 4, "10000000")) == "a chunk of 48 bytes ends after 40")
    assert(refusal(overwritten(example, 4, "15000000")) == "5 flat values of 32 bits in 21 bytes, not 20")
    assert(refusal(example.copy(buffers = example.buffers.init)) == "a mini-block page of 1 buffers, not 2")
  }

  test("a page without definition levels has no nulls, whatever its layers allow") {
    val page = encode(Seq.tabulate(5)(_.toLong), _ => false)
    val lenient = layout(page)(_.copy(layers = Seq(RepDefLayer.REPDEF_NULLABLE_ITEM)))
    val read = Pages.readAll(lenient, int32, FileVersion.V2_2)
    assert(!read.nulls.hasNulls && read.nulls.orNull == null)
  }

  test("lists without repetition levels are refused") {
    val layers = Seq(RepDefLayer.REPDEF_NULLABLE_ITEM, RepDefLayer.REPDEF_NULLABLE_LIST)
    val lists = layout(example)(_.copy(layers = layers))
    val error = intercept[LanceFormatException](Pages.readAll(lists, int32, FileVersion.V2_2))
    assert(error.reason == "1 layers of lists, but repetition levels None")
  }

  private def encode(
      values: Seq[Long],
      isNull: Int => Boolean,
      version: FileVersion = FileVersion.V2_2
  ): EncodedPage = {
    val nulls = new NullMask
    values.indices.foreach(i => if (isNull(i)) nulls.appendNull(1) else nulls.appendValid(1))
    MiniBlockWriter.encode(
      InlineBitpacking.compressor(32).compress(Blocks.words(32, values)),
      Slots.of(nulls),
      version
    )
  }

  for (version <- Pages.versions)
    test(s"chunks are read singly, together, and from any row in $version") {
      val stored = Pages.store(encode((0L until 5000L).map(_ * 3), _ % 11 == 3, version))
      val all = Vector.tabulate(5000)(i => Option.unless(i % 11 == 3)(i * 3L))
      val ranges = Seq((0, 5000), (0, 1), (1023, 1025), (1024, 2048), (4999, 5000))
      for (target <- Seq(1, 5000, 1 << 20); (start, end) <- ranges) {
        val read = Pages.read(stored, int32, version, RowRange(start.toLong, end.toLong), target)
        assert(Blocks.rows(read) == all.slice(start, end))
      }
    }

  test("units are whole chunks of about the bytes that are asked for") {
    val page = encode((0L until 5000L).map(_ + 100000), _ => false)
    val open = Pages.store(page).open(int32, FileVersion.V2_2)
    def units(targetBytes: Int, range: RowRange): Seq[(Long, Long)] =
      open.units(range, targetBytes).map(u => (u.rows.start, u.rows.end)).toVector
    assert(units(1, RowRange(0, 5000)) ==
      Seq((0, 1024), (1024, 2048), (2048, 3072), (3072, 4096), (4096, 5000)))
    assert(units(5000, RowRange(1024, 4097)) == Seq((1024, 3072), (3072, 5000)))
    assert(units(1 << 20, RowRange(1500, 1501)) == Seq((1024, 2048)))
    assert(units(1 << 20, RowRange(7, 7)).isEmpty)
  }

  test("a unit stays small in memory even if its values take next to no bytes") {
    val open = Pages.store(encode(Seq.fill(100000)(0L), _ => false)).open(int32, FileVersion.V2_2)
    val units = open.units(RowRange(0, 100000), 4096).toVector
    assert(units.forall(_.rows.length * 4 <= 4 * 4096) && units.length == 25)
  }

  test("a unit stays small in memory even if a dictionary expands its values") {
    val item = Blocks.column(ValueShape.VariableWidth(32), Seq(Some(Vector.fill(1000)('x'.toByte)))).values
    val dictionary = Variable.blockCompressor(32).compress(item)
    val indices = encode(Seq.fill(10000)(0L), _ => false)
    val page = layout(indices.copy(buffers = indices.buffers :+ dictionary.buffer))(
      _.copy(dictionary = Some(dictionary.encoding), numDictionaryItems = 1)
    )
    val open = Pages.store(page).open(ValueShape.VariableWidth(32), FileVersion.V2_2)
    assert(open.units(RowRange(0, 10000), 1 << 20).map(_.rows.length).toVector == Vector(4096, 4096, 1808))
  }

  test("chunks of positions in a dictionary of large items are read row by row") {
    val shape = ValueShape.VariableWidth(32)
    val texts = Vector.tabulate(3)(i => Vector.fill(5000)(i.toByte))
    val items = Variable.blockCompressor(32).compress(Blocks.column(shape, texts.map(Some(_))).values)
    val indices = encode((0L until 2500L).map(_ % 3), _ % 7 == 2)
    val page = layout(indices.copy(buffers = indices.buffers :+ items.buffer))(
      _.copy(dictionary = Some(items.encoding), numDictionaryItems = 3)
    )
    val stored = Pages.store(page)
    val all = Vector.tabulate(2500)(i => Option.unless(i % 7 == 2)(texts(i % 3)))
    for ((start, end) <- Seq((0, 1), (3, 17), (1020, 1030), (2040, 2060), (2490, 2500))) {
      val rows = RowRange(start.toLong, end.toLong)
      for (target <- Seq(1, 1 << 20, Int.MaxValue)) {
        assert(stored.open(shape, FileVersion.V2_2).units(rows, target).map(_.rows.length).sum == rows.length)
        val read = Pages.read(stored, shape, FileVersion.V2_2, rows, target)
        assert(Blocks.rows(read) == all.slice(start, end))
      }
    }
  }

  test("a dictionary of more items than memory should hold is refused before it is decoded") {
    val runs = Rle.blockCompressor(64).compress(Blocks.words(64, Seq.fill(255)(7L)))
    val indices = encode(Seq.fill(10)(0L), _ => false)
    val page = layout(indices.copy(buffers = indices.buffers :+ runs.buffer))(
      _.copy(dictionary = Some(runs.encoding), numDictionaryItems = 1L << 30)
    )
    val e = intercept[LanceFormatException](Pages.readAll(page, ValueShape.FixedWidth(64), FileVersion.V2_2))
    assert(e.reason == s"a dictionary of ${1L << 30} items")
  }

  private def table(words: Seq[Int], values: Long, bytes: Long): ChunkTable = {
    val block = Blocks.words(32, words.map(_.toLong))
    ChunkTable.parse(Flat.bytes(block, 32, 0, words.length), FileVersion.V2_2, values, bytes)
  }

  test("a chunk word tells bytes and values; the last chunk has what is left") {
    val two = table(Seq(ChunkTable.word(64, 10), ChunkTable.word(16, 0)), 1030, 80)
    assert((two.valuesIn(0), two.valuesIn(1), two.bytesIn(0), two.bytesIn(1)) == ((1024, 6, 64L, 16L)))
    assert(Seq(0L, 1023L, 1024L, 1029L).map(two.containing) == Seq(0, 0, 1, 1))
    assert(table(Seq(ChunkTable.word(64, 10)), 1024, 64).valuesIn(0) == 1024)
    assert(table(Nil, 0, 0).length == 0)
  }

  test("chunk words that do not add up are refused") {
    def refused(words: Seq[Int], values: Long, bytes: Long): String =
      intercept[LanceFormatException](table(words, values, bytes)).getMessage
    val (full, rest) = (ChunkTable.word(64, 10), ChunkTable.word(16, 0))
    assert(refused(Seq(rest, full), 1030, 80) == "a chunk of 2^0 values where 1030 are left of its page")
    assert(refused(Seq(full, full), 1030, 128) == "a chunk of 2^10 values where 6 are left of its page")
    assert(refused(Seq(full, rest), 1024, 80) == "a chunk of 2^10 values where 1024 are left of its page")
    assert(refused(Seq(full, rest), 1030, 88) == "chunks of 80 bytes in a buffer of 88")
    assert(refused(Seq(rest), 1L << 31, 16) == "a chunk of 2^0 values where 2147483648 are left of its page")
    assert(refused(Nil, 5, 0) == "chunks of 0 values in a page of 5")
    val odd = intercept[LanceFormatException] {
      ChunkTable.parse(Slice(new Array[Byte](6)), FileVersion.V2_2, 1, 8)
    }
    assert(odd.getMessage == "6 bytes of chunk words of 4 bytes")
  }
}
