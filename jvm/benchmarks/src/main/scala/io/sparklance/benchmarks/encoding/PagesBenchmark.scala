package io.sparklance.benchmarks.encoding

import java.util.concurrent.TimeUnit

import scala.util.Random

import org.openjdk.jmh.annotations._

import io.sparklance.data._
import io.sparklance.encoding.logical.{FieldPages, LeafColumn}
import io.sparklance.encoding.pages.PageLayouts
import io.sparklance.encoding.{EncodedPage, OpenPage}
import io.sparklance.schema.{Field, Leaf, LogicalType}

/** Pages of each structure: levels of nulls and lists, and values small and large. A score is for
  * `Chunks.Values` rows, of vectors a sixteenth.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
class PagesBenchmark {
  @Param(Array("integers", "nullable", "lists", "decimals", "vectors", "texts"))
  var column: String = _

  private var leaf: Leaf = _
  private var rows: Column = _
  private var pages: Vector[MemoryPage] = _
  private var read: LeafColumn = _

  @Setup
  def prepare(): Unit = {
    val (field, values) = PagesBenchmark.column(column)
    leaf = PagesBenchmark.leafOf(field)
    rows = values
    read = new LeafColumn(leaf)
    pages = encode().map(MemoryPage.of(_, read))
  }

  @Benchmark
  def decode(): Column = {
    read.column.clear()
    pages.foreach(_.decode(read))
    read.column
  }

  @Benchmark
  def encode(): Vector[EncodedPage] = FieldPages.encode(rows, Vector(leaf), FileVersion.V2_2).head
}

/** A page in memory. */
final private class MemoryPage(page: OpenPage, rows: Long, file: Slice) {
  def decode(to: LeafColumn): Unit =
    page.units(RowRange(0, rows), 256 << 10).foreach { unit =>
      to.decode(page, unit, file.slice(unit.bytes.offset, unit.bytes.length, "a unit"))
    }
}

private object MemoryPage {
  def of(encoded: EncodedPage, column: LeafColumn): MemoryPage = {
    val file = Slice(encoded.buffers.toArray.flatMap(_.toArray))
    val starts = encoded.buffers.scanLeft(0L)(_ + _.length)
    val buffers = encoded.buffers.zip(starts).map { case (b, at) => ByteRange(at, b.length.toLong) }
    val all = RowRanges(0, encoded.rows)
    val decoder =
      PageLayouts.decoder(encoded.layout, buffers, encoded.rows, all, column.shape, FileVersion.V2_2)
    val init = decoder.initRanges.map(r => file.slice(r.offset, r.length, "what opens the page"))
    new MemoryPage(decoder.open(init), encoded.rows, file)
  }
}

object PagesBenchmark {

  private def column(name: String): (Field, Column) = name match {
    case "integers" => primitive(LogicalType.Integer(32, signed = true), Chunks.Values, nullEvery = 0)
    case "nullable" => primitive(LogicalType.Integer(32, signed = true), Chunks.Values, nullEvery = 7)
    case "decimals" => primitive(LogicalType.Decimal(128, 38, 2), Chunks.Values, nullEvery = 0)
    case "texts" => primitive(LogicalType.Utf8(large = false), Chunks.Values, nullEvery = 0)
    case "vectors" =>
      primitive(
        LogicalType.FixedSizeList(LogicalType.FloatingPoint(32), 768),
        Chunks.Values / 16,
        nullEvery = 0
      )
    case "lists" => lists
  }

  private def field(logicalType: LogicalType, children: Vector[Field] = Vector.empty): Field =
    Field(children.size, "value", logicalType, nullable = true, children)

  /** @param nullEvery which values are null, none with 0 */
  private def primitive(logicalType: LogicalType, rows: Int, nullEvery: Int): (Field, Column) = {
    val leaf = field(logicalType)
    val column = new LeafColumn(Leaf(Vector.empty, leaf)).column
    val random = new Random(5)
    for (i <- 0 until rows)
      if (nullEvery > 0 && i % nullEvery == 0) column.appendNulls(1)
      else {
        append(column.values, random)
        column.nulls.appendValid(1)
      }
    leaf -> column
  }

  private def append(values: DataBlock, random: Random): Unit = values match {
    case block: Fixed32Block => block.append(random.nextInt(1 << 20))
    case block: FixedBytesBlock =>
      val at = block.extend(1) * block.width
      LittleEndian.putLong(block.bytes, at, random.nextLong() & 0xffffffL)
    case block: VariableBlock =>
      val text = random.alphanumeric.take(10 + random.nextInt(40)).mkString.getBytes
      block.append(text, 0, text.length)
    case block: FixedSizeListBlock =>
      for (_ <- 0 until block.dimension) append(block.items, random)
      block.advance(1)
    case other => throw new IllegalArgumentException(s"no benchmark of ${other.getClass}")
  }

  /** Lists of 0 to 6 integers, every 7th null. */
  private def lists: (Field, Column) = {
    val (item, items) = primitive(LogicalType.Integer(32, signed = true), 3 * Chunks.Values, nullEvery = 5)
    val block = new ListBlock(items)
    val nulls = new NullMask
    block.reserve(Chunks.Values)
    for (i <- 0 until Chunks.Values) {
      block.offsets(i + 1) = block.offsets(i) + i % 7
      if (i % 7 == 0) nulls.appendNull(1) else nulls.appendValid(1)
    }
    block.advance(Chunks.Values)
    items.truncate(block.itemCount)
    field(LogicalType.List(large = false, ofStruct = false), Vector(item)) -> new Column(block, nulls)
  }

  private def leafOf(field: Field): Leaf =
    field.children.headOption.fold(Leaf(Vector.empty, field))(item => Leaf(Vector(field), item))
}
