package io.sparklance.encoding.physical

import io.sparklance.LanceFormatException
import io.sparklance.data.{LittleEndian, Slice, VariableBlock}
import io.sparklance.encoding.{MiniBlockDecompressor, PerValueDecompressor}

/** Strings of codes: a code below n stands for a symbol of 1 to 8 bytes, 255 for the byte that follows it.
  * Message `Fsst`, around [[Variable]], whose offsets delimit the codes of each value. A page has one table:
  *
  * {{{
  * u64  "FSST" << 32 | switch << 24 | suffix limit << 16 | terminator << 8 | n
  * u64  symbol[n]     its first byte lowest
  * u8   length[n]     directly after the n symbols
  * ..   zeros to 2312 bytes
  * }}}
  *
  * With the switch off, values are stored uncompressed; this is common, because pylance leaves short pages
  * uncompressed.
  *
  * @see
  *   Boncz, Neumann, Leis: FSST, Fast Random Access String Compression, VLDB 2020
  */
private[sparklance] object Fsst {
  private[physical] val TableBytes = 8 + 256 * 8 + 256
  private[physical] val Magic = 0x46535354
  private val Escape = 255
  final private val HighBits = 0x8080808080808080L

  /** Codes decoded in one go: positions of this many stay in the L1 cache. */
  final private val Stretch = 2048

  /** One more code if the last is an escape. */
  final private val MaxStretch = Stretch + 1

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
        strings.reserve(roomForEnds(1), table.roomFor(bytes, from, from + size))
        strings.offsets(strings.length + 1) = from + size
        expand(bytes, from, 1, table, strings)
      }
  }

  /** Returns the decoder of back-to-back codes; None if strings are stored uncompressed. */
  def codes(symbolTable: Array[Byte]): Option[Codes] = {
    val table = SymbolTable.parse(symbolTable)
    Option.when(table.isOn)(new Codes(table))
  }

  final class Codes private[Fsst] (table: SymbolTable) {

    /** Makes room for the `count` strings of `codes`. */
    def reserve(count: Int, codes: Slice, out: VariableBlock): Unit =
      out.reserve(roomForEnds(count), table.roomFor(codes.array, codes.offset, codes.end))

    /** Appends the `count` strings of `codes` to `out`, which has room for them. On entry, the offsets of
      * `out` after those in use hold the strings' ends in the array of codes; decoding replaces them by the
      * ends of the decoded strings.
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
    out.reserve(roomForEnds(count), table.roomFor(buffer.array, from, from + size))
    offsets.load(buffer.offset, out.offsets, out.length + 1)
    expand(buffer.array, from, count, table, out)
  }

  /** Room that a block's offsets need to decode `count` values. */
  private def roomForEnds(count: Int): Int = Math.addExact(count, MaxStretch + 1)

  /** Decodes `count` values, whose codes start at `from`. The offsets of `out`, which has room for everything
    * and 8 bytes more, hold the ends of their codes on entry and the ends of the decoded values on return.
    *
    * Codes do not depend on where values end. So they are decoded in long runs that record where each code's
    * bytes begin, and no branch depends on the unpredictable lengths of values.
    */
  private def expand(
      codes: Array[Byte],
      from: Int,
      count: Int,
      table: SymbolTable,
      out: VariableBlock
  ): Unit = {
    val ends = out.offsets
    val slot = out.length + 1
    val notes = slot + count
    val end = if (count > 0) ends(notes - 1) else from
    var ip = from
    var op = out.byteLength
    var i = 0
    do {
      val stop = math.min(end, ip + Stretch)
      val done =
        decode(codes, ip, stop, end, table.symbols, table.lengths, table.count, out.bytes, op, ends, notes)
      i = settle(ends, slot, i, count, ip, done, notes)
      ip += done
      op = ends(notes + done)
    } while (ip < end)
    out.advance(count)
  }

  /** Replaces ends among the codes by ends among the decoded bytes, for the values from `first` on that end
    * within `done` codes after `from`. Returns the first value that does not.
    */
  private def settle(
      ends: Array[Int],
      slot: Int,
      first: Int,
      count: Int,
      from: Int,
      done: Int,
      notes: Int
  ): Int = {
    var i = first
    var sign = 0
    while (i < count && ends(slot + i) - from <= done) {
      val end = ends(notes + ends(slot + i) - from)
      sign |= end
      ends(slot + i) = end
      i += 1
    }
    if (sign < 0) throw badCode(Escape)
    i
  }

  /** Decodes the codes `[from, stop)`, and one more if it is escaped. Returns their number. `notes(at + k)`
    * gets the position of the bytes of the k-th code, -1 for an escaped byte, and one more note the end.
    * Every symbol is stored as 8 bytes; the next store overwrites the surplus.
    */
  private def decode(
      codes: Array[Byte],
      from: Int,
      stop: Int,
      end: Int,
      symbols: Array[Long],
      lengths: Array[Int],
      known: Int,
      out: Array[Byte],
      start: Int,
      notes: Array[Int],
      at: Int
  ): Int = {
    val low = (known & 0x7f) * 0x0101010101010101L
    val isHigh = if (known < 0x80) 0L else -1L
    var ip = from
    var op = start
    var note = at
    while (ip < stop) {
      val eight: Long = if (ip + 8 <= stop) LittleEndian.LONG.get(codes, ip) else -1L
      // Bit 7 of each byte: its low bits are at least those of `known`; then, the byte is.
      val lowAtLeast = (eight | HighBits) - low
      val atLeast = (eight & lowAtLeast) | (eight | lowAtLeast) & ~isHigh
      if ((atLeast & HighBits) == 0) {
        var rest = eight
        var k = 0
        while (k < 8) {
          val code = (rest & 0xff).toInt
          rest >>>= 8
          notes(note + k) = op
          LittleEndian.LONG.set(out, op, symbols(code))
          op += lengths(code)
          k += 1
        }
        ip += 8
        note += 8
      } else {
        val next = math.min(stop, ip + 8)
        while (ip < next) {
          val code = codes(ip) & 0xff
          notes(note) = op
          if (code < known) {
            LittleEndian.LONG.set(out, op, symbols(code))
            op += lengths(code)
          } else if (code == Escape && ip + 1 < end) {
            ip += 1
            note += 1
            out(op) = codes(ip)
            notes(note) = -1
            op += 1
          } else throw badCode(code)
          ip += 1
          note += 1
        }
      }
    }
    notes(note) = op
    ip - from
  }

  private def badCode(code: Int): LanceFormatException = new LanceFormatException(
    if (code == Escape) "an FSST value ends within an escape"
    else s"FSST code $code is not in the symbol table"
  )

  /** A symbol table; the first `count` of its 256 entries are symbols. */
  final private class SymbolTable(
      val isOn: Boolean,
      val count: Int,
      val symbols: Array[Long],
      val lengths: Array[Int]
  ) {

    /** Upper bound of the decoded size of the codes `[from, end)`, including the surplus of 8-byte stores. */
    def roomFor(codes: Array[Byte], from: Int, end: Int): Int =
      if (end - from <= (1 << 16)) 8 * (end - from) + 8 else Math.addExact(decodedSize(codes, from, end), 8)

    /** Sums the lengths of codes. An escaped byte counts as a code of that value, so the sum is never too
      * low.
      */
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
