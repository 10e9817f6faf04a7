package io.sparklance.benchmarks.encoding

import java.nio.charset.StandardCharsets.US_ASCII
import java.util.concurrent.TimeUnit

import scala.util.Random

import org.openjdk.jmh.annotations._

import io.sparklance.data.{DataBlock, Fixed32Block, LittleEndian, ValueShape, VariableBlock}
import io.sparklance.encoding.MiniBlockValues
import io.sparklance.encoding.physical.{DictionaryValues, Variable}
import io.sparklance.proto.encodings.CompressiveEncoding.Compression
import io.sparklance.proto.encodings.{CompressiveEncoding, Fsst}

/** Strings as they are, as FSST codes of about half their size, and as positions in dictionaries. A score is
  * for one string.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
class StringsBenchmark {
  private val shape = ValueShape.VariableWidth(32)
  private var letters: Chunks = _
  private var codes: Chunks = _
  private var positions: Fixed32Block = _
  private var short: VariableBlock = _
  private var long: VariableBlock = _
  private val out = new VariableBlock

  @Setup
  def prepare(): Unit = {
    val random = new Random(5)
    letters = new Chunks(Variable.compressor(32).compress(StringsBenchmark.letters), shape)
    codes = new Chunks(StringsBenchmark.codes(random), shape)
    positions = new Fixed32Block
    Seq.fill(Chunks.Values)(random.nextInt(7)).foreach(positions.append)
    short = StringsBenchmark.strings(Seq("AIR", "MAIL", "RAIL", "SHIP", "TRUCK", "TAKE BACK RETURN", "NONE"))
    long = StringsBenchmark.strings(Seq.tabulate(7)(i => "well compressed " * (i + 1)))
  }

  @Benchmark
  @OperationsPerInvocation(Chunks.Values)
  def variable(): DataBlock = letters.decode()

  @Benchmark
  @OperationsPerInvocation(Chunks.Values)
  def fsst(): DataBlock = codes.decode()

  @Benchmark
  @OperationsPerInvocation(Chunks.Values)
  def shortFromDictionary(): DataBlock = gather(short)

  @Benchmark
  @OperationsPerInvocation(Chunks.Values)
  def longFromDictionary(): DataBlock = gather(long)

  private def gather(items: VariableBlock): DataBlock = {
    out.clear()
    DictionaryValues.gather(positions, 0, positions.length, items, out)
    out
  }
}

object StringsBenchmark {
  private def strings(values: Seq[String]): VariableBlock = {
    val block = new VariableBlock
    values.map(_.getBytes(US_ASCII)).foreach(bytes => block.append(bytes, 0, bytes.length))
    block
  }

  private def letters: VariableBlock =
    strings(Seq.tabulate(Chunks.Values)(i => "ANR".slice(i % 3, i % 3 + 1)))

  /** Strings of 5 to 20 codes, of which one in 40 is an escape. */
  private def codes(random: Random): MiniBlockValues = {
    val block = new VariableBlock
    for (_ <- 0 until Chunks.Values) {
      val bytes = Seq.fill(5 + random.nextInt(16))(random.nextInt(40)).flatMap {
        case 0 => Seq(255.toByte, 'x'.toByte)
        case _ => Seq(random.nextInt(Symbols).toByte)
      }
      block.append(bytes.toArray, 0, bytes.size)
    }
    val plain = Variable.compressor(32).compress(block)
    val table = com.google.protobuf.ByteString.copyFrom(symbolTable)
    plain.copy(encoding = CompressiveEncoding(Compression.Fsst(Fsst(table, Some(plain.encoding)))))
  }

  private val Symbols = 200

  /** Symbols of 1 to 4 letters. */
  private def symbolTable: Array[Byte] = {
    val table = new Array[Byte](2312)
    LittleEndian.putLong(table, 0, 0x46535354L << 32 | 1L << 24 | Symbols)
    for (i <- 0 until Symbols) {
      LittleEndian.putLong(table, 8 + 8 * i, 0x7a797877L)
      table(8 + 8 * Symbols + i) = (1 + i % 4).toByte
    }
    table
  }
}
