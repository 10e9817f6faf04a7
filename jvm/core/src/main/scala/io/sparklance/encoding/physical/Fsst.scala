package io.sparklance.encoding.physical

import io.sparklance.LanceFormatException
import io.sparklance.data.{LittleEndian, Slice, VariableBlock}
import io.sparklance.encoding.{MiniBlockDecompressor, PerValueDecompressor}

/** Strings of codes: a code below n stands for a symbol of 1 to 8 bytes, 255 for the byte that follows it. Message `Fsst`,
  * around [[Variable]], whose offsets delimit the codes of each value. A page has one table:
  *
  * {{{
  * u64  "FSST" << 32 | switch << 24 | suffix limit << 16 | terminator << 8 | n
  * u64  symbol[n]     its first byte lowest
  * u8   length[n]     directly behind the n symbols
  * ..   zeros to 2312 bytes
  * }}}
  *
  * With the switch off, values are stored as they are; this is common, for the reference leaves short pages alone.
  *
  * @see
  *   Boncz, Neumann, Leis: FSST, Fast Random Access String Compression, VLDB 2020
  */
object Fsst {
  private val TableBytes = 8 + 256 * 8 + 256
  private val Escape = 255

  def miniBlock(symbolTable: Array[Byte], offsetBits: Int): MiniBlockDecompressor = {
    Offsets.require(offsetBits)
    val table = SymbolTable.parse(symbolTable)
    if (!table.isOn) Variable.miniBlock(offsetBits)
    else
      MiniBlockDecompressor.ofOneBuffer { (buffer, count, out) =>
        decodeChunk(buffer, count, offsetBits, table, Variable.asVariable(out))
      }
  }

  def perValue(symbolTable: Array[Byte]): PerValueDecompressor = {
    val table = SymbolTable.parse(symbolTable)
    if (!table.isOn) Variable.perValue
    else
      (bytes, from, size, out) => {
        val strings = Variable.asVariable(out)
        strings.reserve(1, table.roomFor(bytes, from, from + size))
        strings.offsets(strings.length + 1) = from + size
        expand(bytes, from, 1, table, strings)
      }
  }

  /** What decodes strings of codes that lie back to back; None if they are stored as they are. */
  def codes(symbolTable: Array[Byte]): Option[Codes] = {
    val table = SymbolTable.parse(symbolTable)
    Option.when(table.isOn)(new Codes(table))
  }

  final class Codes private[Fsst] (table: SymbolTable) {

    /** Bytes to be reserved for what `codes` decode to. */
    def roomFor(codes: Slice): Int = table.roomFor(codes.array, codes.offset, codes.end)

    /** Appends the `count` strings of `codes` to `out`, which has room for them. Their ends, counted in the array of the
      * codes, stand where their ends among the decoded bytes will: in the offsets of `out` behind those in use.
      */
    def decode(codes: Slice, count: Int, out: VariableBlock): Unit =
      expand(codes.array, codes.offset, count, table, out)
  }

  private def decodeChunk(
      buffer: Slice,
      count: Int,
      bits: Int,
      table: SymbolTable,
      out: VariableBlock
  ): Unit = {
    val offsets = Variable.chunkOffsets(buffer, count, bits)
    val size = offsets.sizeWithin((count + 1L) * (bits / 8), buffer.length.toLong)
    val from = buffer.offset + offsets.first.toInt
    out.reserve(count, table.roomFor(buffer.array, from, from + size))
    offsets.load(buffer.offset, out.offsets, out.length + 1)
    expand(buffer.array, from, count, table, out)
  }

  /** Decodes `count` values, whose codes start at `from`. Their ends among the codes stand where their ends among the
    * decoded bytes will: in the offsets of `out`, which has room for all of it and for 8 bytes more.
    */
  private def expand(
      codes: Array[Byte],
      from: Int,
      count: Int,
      table: SymbolTable,
      out: VariableBlock
  ): Unit = {
    decode(codes, from, count, table.symbols, table.lengths, table.count, out.bytes, out.offsets, out.length)
    out.advance(count)
  }

  /** Every symbol is stored as 8 bytes, of which the next store overwrites what is not meant. */
  private def decode(
      codes: Array[Byte],
      from: Int,
      count: Int,
      symbols: Array[Long],
      lengths: Array[Int],
      known: Int,
      out: Array[Byte],
      offsets: Array[Int],
      slot: Int
  ): Unit = {
    var ip = from
    var op = offsets(slot)
    var i = 0
    while (i < count) {
      val end = offsets(slot + i + 1)
      while (ip < end) {
        val code = codes(ip) & 0xff
        ip += 1
        if (code < known) {
          LittleEndian.LONG.set(out, op, symbols(code))
          op += lengths(code)
        } else if (code == Escape && ip < end) {
          out(op) = codes(ip)
          ip += 1
          op += 1
        } else throw badCode(code)
      }
      offsets(slot + i + 1) = op
      i += 1
    }
  }

  private def badCode(code: Int): LanceFormatException = new LanceFormatException(
    if (code == Escape) "an FSST value ends within an escape"
    else s"FSST code $code is not in the symbol table"
  )

  /** The first `count` of the 256 entries are symbols. */
  final private class SymbolTable(
      val isOn: Boolean,
      val count: Int,
      val symbols: Array[Long],
      val lengths: Array[Int]
  ) {

    /** Bytes that the codes `[from, end)` need at most when decoded, stores of 8 bytes included. */
    def roomFor(codes: Array[Byte], from: Int, end: Int): Int =
      if (end - from <= (1 << 16)) 8 * (end - from) + 8 else Math.addExact(decodedSize(codes, from, end), 8)

    /** An escaped byte counts as the code that it looks like: never too little. */
    private def decodedSize(codes: Array[Byte], from: Int, end: Int): Int = {
      var size = 0L
      var i = from
      while (i < end) {
        size += math.max(1, lengths(codes(i) & 0xff))
        i += 1
      }
      Math.toIntExact(size)
    }
  }

  private object SymbolTable {
    private val Magic = 0x46535354

    def parse(bytes: Array[Byte]): SymbolTable = {
      if (bytes.length != TableBytes)
        throw new LanceFormatException(s"an FSST symbol table of ${bytes.length} bytes; $TableBytes expected")
      val header = LittleEndian.long(bytes, 0)
      if ((header >>> 32).toInt != Magic)
        throw new LanceFormatException(
          f"an FSST symbol table starts with ${header >>> 32}%08x; $Magic%08x expected"
        )
      val count = (header & 0xff).toInt
      val symbols = Array.tabulate(256)(i => if (i < count) LittleEndian.long(bytes, 8 + 8 * i) else 0L)
      val lengths = Array.tabulate(256)(i => if (i < count) length(bytes(8 + 8 * count + i) & 0xff) else 0)
      new SymbolTable((header & (1L << 24)) != 0, count, symbols, lengths)
    }

    private def length(n: Int): Int =
      if (n >= 1 && n <= 8) n
      else throw new LanceFormatException(s"an FSST symbol of $n bytes; 1 to 8 expected")
  }
}
