package io.sparklance.spark.read

import java.math.BigInteger
import java.util.Arrays

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceUsageException
import io.sparklance.data.{
  Column,
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBytesBlock,
  NullMask,
  VariableBlock
}
import io.sparklance.schema.{Field, LogicalTypes}
import io.sparklance.spark.types.{BlobHandling, LossyValues, ReadTypeOptions}

/** Rows that are written column by column have the bytes of those that Spark makes of the same batches. */
final class RowChunkSuite extends AnyFunSuite {
  import RowChunkSuite._

  private val boundaries = Seq(0, 1, 63, 64, 65, 4096)

  kinds.foreach { kind =>
    test(s"${kind.name}: rows equal Spark's") {
      for (nulls <- nullness; rows <- boundaries)
        agree(Seq(kind), Seq(random(Seq(kind), rows, nulls, seed = rows)))
    }
  }

  test("columns of all kinds share a row, in any order") {
    for (seed <- 0 until 30) {
      val r = new Random(seed)
      val some = Seq.fill(1 + r.nextInt(30))(kinds(r.nextInt(kinds.size)))
      agree(some, Seq.fill(3)(random(some, Seq(1, 63, 64, 65, 200)(r.nextInt(5)), anyNulls, r.nextLong())))
    }
  }

  for (columns <- Seq(1, 63, 64, 65, 127, 128, 129, 200))
    test(s"the bits of nulls of $columns columns are those of Spark") {
      val r = new Random(columns)
      val some = Seq.fill(columns)(kinds(r.nextInt(kinds.size)))
      nullness.foreach(nulls => agree(some, Seq(65, 130).map(random(some, _, nulls, r.nextLong()))))
    }

  test("batches follow each other through the same vectors, with empty ones in between") {
    val sizes = Seq(0, 0, 1, 0, 64, 65, 0, 4096, 63, 128, 0)
    for (seed <- 0 until 4) {
      val r = new Random(seed)
      agree(kinds, sizes.map(random(kinds, _, nullness(r.nextInt(nullness.size)), r.nextLong())))
    }
  }

  test("no batch, and only empty batches, are no rows") {
    agree(kinds, Nil)
    agree(kinds, Seq.fill(3)(random(kinds, 0, anyNulls, 1)))
  }

  test("batches without columns have rows") {
    val found = chunked(Iterator(0, 1, 64, 65, 130).map(new ColumnarBatch(Array.empty[ColumnVector], _)), 0)
    var rows = 0
    while (found.hasNext) {
      val row = unsafe(found.next())
      assert(row.numFields == 0 && row.getSizeInBytes == 0)
      rows += 1
    }
    assert(rows == 260)
  }

  test("strings of 0 to 80 bytes are padded, at the end of their array and before slack") {
    val r = new Random(80)
    for (kind <- Seq(strings, binaries); slack <- 0 to 72) {
      val lengths = r.shuffle((0 to 80).toVector) :+ slack
      agree(Seq(kind), Seq(Batch(lengths.size, Seq(valid(texts(r, lengths, slack))))))
    }
    for (kind <- Seq(strings, binaries); last <- 0 to 80) {
      agree(Seq(kind), Seq(Batch(1, Seq(valid(texts(r, Seq(last), slack = 0))))))
      val two = Batch(2, Seq.fill(2)(valid(texts(r, Seq(3, last), slack = 0))))
      agree(Seq(kind, kind), Seq(two, two))
    }
  }

  test("padding is zero where longer values were before") {
    val r = new Random(5)
    val long = Batch(64, Seq(valid(texts(r, Seq.fill(64)(80), slack = 0)), full(64)))
    val short = Batch(64, Seq(valid(texts(r, (0 until 64), slack = 0)), full(64)))
    agree(Seq(strings, longs), Seq(long, short, long, short))
  }

  test("fewer rows fit a chunk if they are long") {
    val r = new Random(64)
    for (length <- Seq(16000, 16368, 16384, 17000, 70000, 200000, 1 << 20, (1 << 20) + 1)) {
      val lengths = Seq.fill(70)(length + r.nextInt(9))
      agree(Seq(strings, longs), Seq(Batch(70, Seq(valid(texts(r, lengths, slack = 0)), full(70)))))
    }
  }

  test("a row of some megabytes stands among short ones, and the buffer shrinks behind it") {
    val r = new Random(7)
    val lengths = Seq.tabulate(400)(i => if (i == 70 || i == 71 || i == 200) (5 << 20) + i else i % 20)
    def batch(of: Seq[Int]): Batch = Batch(of.size, Seq(valid(texts(r, of, slack = 0)), full(of.size)))
    agree(
      Seq(binaries, longs),
      Seq(batch(lengths), batch(Seq(1, 2)), batch(Seq(9 << 20)), batch(Seq(0)), batch(lengths.reverse))
    )
  }

  test("a question for the next row skips none") {
    val batches = Seq(0, 65, 0, 1, 130).map(random(kinds, _, anyNulls, 9))
    agree(kinds, batches, questions = 3)
  }

  test("rows are returned to those who never ask whether there is one, and none after the last") {
    val batches = Seq(3, 0, 130, 0).map(random(kinds, _, anyNulls, 10))
    agree(kinds, batches, questions = 0)
  }

  test("a row is valid until the next is asked for") {
    val batches = Seq(65, 64, 1).map(random(kinds, _, anyNulls, 11))
    val (shown, expected) = show(kinds, batches)
    val found = chunked(shown, kinds.size)
    while (found.hasNext) {
      val row = unsafe(found.next())
      val copies = Seq.fill(2)(row.copy())
      same(row, expected.dequeue(), "")
      assert(copies.forall(_ == row))
    }
    assert(expected.isEmpty)
  }

  test("copies of rows outlive their chunk") {
    val batches = Seq(130, 1, 200).map(random(kinds, _, anyNulls, 12))
    val (shown, expected) = show(kinds, batches)
    val copies = chunked(shown, kinds.size).map(row => unsafe(row).copy()).toVector
    assert(copies == expected.toVector)
    assert(copies.map(_.hashCode) == expected.map(_.hashCode).toVector)
  }

  test("the metrics count rows and batches") {
    val (rows, batches) = (new SQLMetric("sum", 0), new SQLMetric("sum", 0))
    val (shown, _) = show(Seq(longs), Seq(0, 1, 65, 0, 200).map(n => Batch(n, Seq(full(n)))))
    val found = new ChunkedRows(shown, 1, rows, batches)
    assert(rows.value == 0 && batches.value == 0)
    assert(found.hasNext && rows.value == 1 && batches.value == 2)
    assert(found.size == 266 && rows.value == 266 && batches.value == 5)
    assert(!found.hasNext && rows.value == 266 && batches.value == 5)
  }

  test("a row of more bytes than an array can have is refused") {
    val half = new VariableBlock
    // Sizes are added up before any byte is copied.
    half.offsets = Array(0, 1 << 30)
    half.advance(1)
    val column = valid(half)
    val (shown, _) = show(Seq(binaries, binaries), Seq(Batch(1, Seq(column, column))), expect = false)
    val error = intercept[Exception with SparkThrowable](chunked(shown, 2).hasNext)
    assert(error.getCause.isInstanceOf[LanceUsageException])
    assert(error.getCause.getMessage.contains(s"${8 + 16 + (2L << 30)} bytes"))
  }

  test("a batch of vectors that write no rows is refused") {
    val other = new UInt64Vector
    other.show(full(1))
    val found = chunked(Iterator(new ColumnarBatch(Array[ColumnVector](other), 1)), 1)
    assert(intercept[IllegalStateException](found.hasNext).getMessage.contains("UInt64Vector"))
  }

  test("the types of columns that write rows") {
    def writes(text: String, lossy: LossyValues = LossyValues.Fail): Boolean = ColumnVectors.writesRows(
      Field(0, "c", LogicalTypes.parse(text), nullable = true),
      ReadTypeOptions(lossy, BlobHandling.Descriptors)
    )
    val some =
      Seq("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "float", "double") ++
        Seq(
          "string",
          "large_string",
          "binary",
          "large_binary",
          "date32:day",
          "timestamp:us:-",
          "duration:us"
        ) ++
        Seq("timestamp:us:UTC", "time64:us", "decimal:128:10:2", "decimal:128:38:2")
    val others = Seq("uint64", "halffloat", "lance.bfloat16", "json", "null", "date64:ms", "timestamp:s:-") ++
      Seq("timestamp:ms:-", "timestamp:ns:-", "duration:ns", "time32:ms", "fixed_size_binary:16") ++
      Seq("decimal:256:40:2", "decimal:128:10:-2")
    some.foreach(text => assert(writes(text), text))
    others.foreach(text => assert(!writes(text), text))
    assert(writes("timestamp:ns:-", LossyValues.Raw))
  }

  test("vectors for structs and blobs write no rows, nor those for blobs in structs") {
    val large = LogicalTypes.parse("large_binary")
    val blob =
      Field(1, "b", large, nullable = true, metadata = Map("lance-encoding:blob" -> "true"))
    val plain = Field(1, "b", large, nullable = true)
    def struct(of: Field) = Field(0, "s", LogicalTypes.parse("struct"), nullable = true, Vector(of))
    for (column <- Seq(blob, struct(blob), struct(plain)))
      assert(!ColumnVectors.writesRows(column, ReadTypeOptions.written), column)
    assert(ColumnVectors.writesRows(plain, ReadTypeOptions.written))
  }

  test("a decimal of too many digits fails as it does in Spark") {
    val block = new FixedBytesBlock(16)
    val _ = block.extend(1)
    Arrays.fill(block.bytes, 0, 16, 0x7f.toByte)
    val batch = Batch(1, Seq(valid(block)))
    val kind = kinds.find(_.dataType == DecimalType(38, 10)).get
    val (shown, _) = show(Seq(kind), Seq(batch), expect = false)
    val ours = intercept[Exception](chunked(shown, 1).next())
    val theirs = intercept[Exception](show(Seq(kind), Seq(batch))._1.next())
    assert(ours.getClass == theirs.getClass && ours.getMessage == theirs.getMessage)
  }

  /** Compares the rows of batches with those of Spark.
    *
    * @param questions
    *   how often to ask for each row whether there is one
    */
  private def agree(kinds: Seq[Kind], batches: Seq[Batch], questions: Int = 1): Unit = {
    val (shown, expected) = show(kinds, batches)
    val found = chunked(shown, kinds.size)
    val total = batches.map(_.rows).sum
    for (i <- 0 until total) {
      for (_ <- 0 until questions) assert(found.hasNext)
      same(unsafe(found.next()), expected.dequeue(), s"row $i of ${kinds.map(_.name)}")
    }
    if (questions > 0) assert(!found.hasNext && !found.hasNext)
    intercept[NoSuchElementException](found.next())
    if (expected.nonEmpty) fail(s"${expected.size} rows are missing")
  }

  private def same(found: UnsafeRow, expected: UnsafeRow, clue: => String): Unit =
    if (!Arrays.equals(found.getBytes, expected.getBytes)) fail(s"$clue: $found instead of $expected")
    else if (found != expected || found.hashCode != expected.hashCode) fail(s"$clue: $found differs")

  private def chunked(batches: Iterator[ColumnarBatch], columns: Int): ChunkedRows =
    new ChunkedRows(batches, columns, new SQLMetric("sum", 0), new SQLMetric("sum", 0))

  private def unsafe(row: InternalRow): UnsafeRow = row match {
    case row: UnsafeRow => row
    case other => fail(s"$other")
  }
}

private object RowChunkSuite {

  /** A vector that writes rows, and random blocks for it. */
  case class Kind(
      name: String,
      dataType: DataType,
      vector: () => LanceColumnVector with RowValues,
      block: (Random, Int) => DataBlock
  )

  case class Batch(rows: Int, columns: Seq[Column])

  /** Whether a row is null, at random. */
  type Nulls = (Random, Int) => Boolean

  val anyNulls: Nulls = (r, _) => r.nextInt(4) == 0
  val nullness: Seq[Nulls] = Seq((_, _) => false, (_, _) => true, anyNulls, (_, row) => row % 64 == 63)

  private val edges = Seq(0L, -1L, 1L, 127, -128, 255, 32767, -32768, 65535, Int.MaxValue, Int.MinValue) ++
    Seq(0xffffffffL, Long.MaxValue, Long.MinValue)

  private def number(r: Random): Long =
    if (r.nextInt(3) == 0) edges(r.nextInt(edges.size)) else r.nextLong() >> r.nextInt(64)

  private def of8(r: Random, n: Int): DataBlock = {
    val block = new Fixed8Block
    for (_ <- 0 until n) block.append(number(r).toByte)
    block
  }

  private def of16(r: Random, n: Int): DataBlock = {
    val block = new Fixed16Block
    for (_ <- 0 until n) block.append(number(r).toShort)
    block
  }

  private def of32(r: Random, n: Int): DataBlock = {
    val block = new Fixed32Block
    for (_ <- 0 until n) block.append(number(r).toInt)
    block
  }

  private def of64(r: Random, n: Int): DataBlock = {
    val block = new Fixed64Block
    for (_ <- 0 until n) block.append(number(r))
    block
  }

  private val floats = Seq(0, 0x80000000, 0x7fc00000, 0x7fc12345, 0xffc00001, 0x7f800001, 0xffbfffff) ++
    Seq(0x7f800000, 0xff800000, 1, 0x3f800000)

  private def ofFloats(r: Random, n: Int): DataBlock = {
    val block = new Fixed32Block
    for (_ <- 0 until n)
      block.append(if (r.nextBoolean()) floats(r.nextInt(floats.size)) else r.nextInt())
    block
  }

  private val doubles = Seq(0L, Long.MinValue, 0x7ff8000000000000L, 0x7ff8123456789abcL) ++
    Seq(0xfff8000000000001L, 0x7ff0000000000001L, 0xfff7ffffffffffffL, 0x7ff0000000000000L, 1L)

  private def ofDoubles(r: Random, n: Int): DataBlock = {
    val block = new Fixed64Block
    for (_ <- 0 until n)
      block.append(if (r.nextBoolean()) doubles(r.nextInt(doubles.size)) else r.nextLong())
    block
  }

  private def ofDecimals(precision: Int)(r: Random, n: Int): DataBlock = {
    val most = BigInteger.TEN.pow(precision).subtract(BigInteger.ONE)
    val some = Seq(most, most.negate, BigInteger.ZERO, BigInteger.ONE, BigInteger.ONE.negate) ++
      Seq(7, 8, 15, 16, 31, 32, 63, 64).flatMap { bits =>
        val power = BigInteger.ONE.shiftLeft(bits)
        Seq(power, power.negate, power.subtract(BigInteger.ONE), power.negate.subtract(BigInteger.ONE))
      }
    val block = new FixedBytesBlock(16)
    for (_ <- 0 until n) {
      val drawn =
        if (r.nextBoolean()) some(r.nextInt(some.size)) else new BigInteger(r.nextInt(127), r.self)
      val signed = (if (r.nextBoolean()) drawn.negate else drawn).remainder(most.add(BigInteger.ONE))
      val at = 16 * block.extend(1)
      for (i <- 0 until 16) block.bytes(at + i) = signed.shiftRight(8 * i).byteValue
    }
    block
  }

  private def ofTexts(r: Random, n: Int): DataBlock =
    texts(r, Seq.fill(n)(if (r.nextInt(8) == 0) r.nextInt(300) else r.nextInt(40)), slack = r.nextInt(80))

  /** Random byte strings of some lengths, and garbage behind them. */
  def texts(r: Random, lengths: Seq[Int], slack: Int): VariableBlock = {
    val block = new VariableBlock
    lengths.foreach(n => block.append(r.nextBytes(n), 0, n))
    block.bytes = Arrays.copyOf(block.bytes, block.byteLength + slack)
    val garbage = r.nextBytes(slack)
    System.arraycopy(garbage, 0, block.bytes, block.byteLength, slack)
    block
  }

  val strings: Kind = Kind("strings", StringType, () => new StringVector, ofTexts)
  val binaries: Kind = Kind("byte strings", BinaryType, () => new BinaryVector, ofTexts)
  val longs: Kind = Kind("64-bit integers", LongType, () => new Int64Vector(LongType), of64)

  val kinds: Seq[Kind] = Seq(
    Kind("booleans", BooleanType, () => new BooleanVector, of8),
    Kind("8-bit integers", ByteType, () => new Int8Vector, of8),
    Kind("unsigned 8-bit integers", ShortType, () => new UInt8Vector, of8),
    Kind("16-bit integers", ShortType, () => new Int16Vector, of16),
    Kind("unsigned 16-bit integers", IntegerType, () => new UInt16Vector, of16),
    Kind("32-bit integers", IntegerType, () => new Int32Vector(IntegerType), of32),
    Kind("dates", DateType, () => new Int32Vector(DateType), of32),
    Kind("unsigned 32-bit integers", LongType, () => new UInt32Vector, of32),
    longs,
    Kind("timestamps", TimestampType, () => new Int64Vector(TimestampType), of64),
    Kind("timestamps without zone", TimestampNTZType, () => new Int64Vector(TimestampNTZType), of64),
    Kind("durations", DayTimeIntervalType(), () => new Int64Vector(DayTimeIntervalType()), of64),
    Kind("floats", FloatType, () => new FloatVector, ofFloats),
    Kind("doubles", DoubleType, () => new DoubleVector, ofDoubles),
    strings,
    binaries
  ) ++ Seq(1 -> 0, 9 -> 2, 10 -> 10, 18 -> 4).map { case (p, s) =>
    val dataType = DecimalType(p, s)
    Kind(s"decimals of $p digits", dataType, () => new CompactDecimalVector(dataType), ofDecimals(p) _)
  } ++ Seq(19 -> 0, 20 -> 20, 38 -> 10, 38 -> 38).map { case (p, s) =>
    val dataType = DecimalType(p, s)
    Kind(
      s"decimals of $p digits, $s behind the point",
      dataType,
      () => new WideDecimalVector(dataType),
      ofDecimals(p) _
    )
  }

  /** Values, some of them null; a null has a random value too. */
  def random(kinds: Seq[Kind], rows: Int, nulls: Nulls, seed: Long): Batch = {
    val r = new Random(seed)
    Batch(
      rows,
      kinds.map { kind =>
        val mask = new NullMask
        for (row <- 0 until rows) if (nulls(r, row)) mask.appendNull(1) else mask.appendValid(1)
        new Column(kind.block(r, rows), mask)
      }
    )
  }

  def valid(block: DataBlock): Column = {
    val nulls = new NullMask
    nulls.appendValid(block.length)
    new Column(block, nulls)
  }

  /** Numbers without nulls. */
  def full(rows: Int): Column = valid(of64(new Random(rows), rows))

  /** Returns batches that show their columns in turns through the same vectors, and Spark's rows of those
    * that have been shown.
    */
  def show(
      kinds: Seq[Kind],
      batches: Seq[Batch],
      expect: Boolean = true
  ): (Iterator[ColumnarBatch], mutable.Queue[UnsafeRow]) = {
    val vectors = kinds.map(_.vector())
    val projection = UnsafeProjection.create(kinds.map(_.dataType).toArray)
    val batch = new ColumnarBatch(vectors.toArray[ColumnVector])
    val expected = mutable.Queue.empty[UnsafeRow]
    val shown = batches.iterator.map { next =>
      vectors.zip(next.columns).foreach { case (vector, column) => vector.show(column) }
      batch.setNumRows(next.rows)
      if (expect) (0 until next.rows).foreach(i => expected += projection(batch.getRow(i)).copy())
      batch
    }
    (shown, expected)
  }
}
