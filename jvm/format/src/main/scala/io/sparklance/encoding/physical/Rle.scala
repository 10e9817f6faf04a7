package io.sparklance.encoding.physical

import java.util.Arrays

import io.sparklance.data.{
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBytesBlock,
  FixedSizeListBlock,
  LittleEndian,
  NestedBlock,
  Slice,
  ValueShape,
  VariableBlock
}
import io.sparklance.encoding.{
  BlockCompressor,
  BlockDecompressor,
  BlockValues,
  MiniBlockChunk,
  MiniBlockCompressor,
  MiniBlockDecompressor,
  MiniBlockValues
}
import io.sparklance.proto.encodings.CompressiveEncoding.Compression
import io.sparklance.proto.encodings.{CompressiveEncoding, Rle => Message}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Runs of equal words of T bits (8, 16, 32 or 64):
  *
  * {{{
  * chunk of a mini-block    buffer 0: | value of run 0 | value of run 1 | ...     buffer 1: | u8 length of run 0 | ...
  * block                    | u64 bytes of the values | value of run 0 | ... | u8 length of run 0 | ...
  * }}}
  * Lengths are 1 to 255; a longer run is stored as several. The runs cover all values; in a chunk written by
  * an old release the last run may go beyond.
  */
private[sparklance] object Rle {

  final private val MaxRun = 255
  final private val ShortRun = 8

  /** Values of a written chunk. */
  final private[encoding] val MaxChunkValues = 2048
  final private val MaxChunkBytes = 8185

  def miniBlock(message: Message, shape: ValueShape): MiniBlockDecompressor = miniBlock(width(message, shape))

  /** @param bits T */
  def miniBlock(bits: Int): MiniBlockDecompressor = new MiniBlockDecompressor {
    def decompress(buffers: Array[Slice], count: Int, out: DataBlock): Unit = {
      if (buffers.length != 2) throw new LanceFormatException(s"runs in ${buffers.length} buffers, not 2")
      val covered = decode(bits, buffers(0), buffers(1), count, out)
      if (covered < count) throw new LanceFormatException(s"runs of $covered values in a chunk of $count")
    }

    override def hasCandidates: Boolean = true

    override def candidates(buffers: Array[Slice], count: Int, out: DataBlock): Boolean = {
      val isSound = buffers.length == 2 && buffers(0).length == buffers(1).length.toLong * (bits / 8)
      if (isSound) Flat.append(buffers(0), buffers(1).length, out)
      isSound
    }
  }

  def block(message: Message, shape: ValueShape): BlockDecompressor = block(width(message, shape))

  def block(bits: Int): BlockDecompressor = new BlockDecompressor {

    def decompress(buffer: Slice, count: Int, out: DataBlock): Unit = {
      val values = buffer.slice(8, buffer.long(0), "the values of runs")
      val covered = decode(bits, values, lengths(buffer), count, out)
      if (covered != count) throw new LanceFormatException(s"runs of $covered values in a block of $count")
    }

    override def countOf(buffer: Slice): Option[Int] = Some(Math.toIntExact(sum(lengths(buffer))))

    private def lengths(buffer: Slice): Slice = {
      val size = buffer.long(0)
      buffer.slice(8 + size, buffer.length - 8 - size, "the lengths of runs")
    }
  }

  /** Values and lengths may be compressed in turn by later versions of the format; up to 2.2 they are not. */
  private def width(message: Message, shape: ValueShape): Int =
    (message.getValues.compression, message.getRunLengths.compression) match {
      case (Compression.Flat(values), Compression.Flat(lengths)) if lengths.bitsPerValue == 8 =>
        Widths.agreedWord(values.bitsPerValue, shape, "run-length encoded")
      case _ => throw new UnsupportedLanceFeatureException("run-length encoding with compressed runs")
    }

  /** Appends the runs, up to `count` values. Returns the number of values in all runs. */
  private def decode(bits: Int, values: Slice, lengths: Slice, count: Int, out: DataBlock): Long = {
    val runs = lengths.length
    if (values.length != runs.toLong * (bits / 8))
      throw new LanceFormatException(s"$runs runs of $bits bits with ${values.length} bytes of values")
    val covered = sum(lengths)
    if (covered >= count) fill(values, lengths, count, out)
    covered
  }

  private def sum(lengths: Slice): Long = {
    var sum = 0L
    var i = lengths.offset
    while (i < lengths.end) {
      val length = lengths.array(i) & 0xff
      if (length == 0) throw new LanceFormatException("a run of length 0")
      sum += length
      i += 1
    }
    sum
  }

  /** Fills in runs that cover at least `count` values, as checked before. Each run writes at least
    * [[ShortRun]] values, which is cheaper than its exact length; the next run overwrites the surplus.
    */
  private def fill(values: Slice, lengths: Slice, count: Int, out: DataBlock): Unit = {
    val at = Widths.fixed(out).extend(Math.addExact(count, MaxRun + ShortRun))
    val end = at + count
    out match {
      case block: Fixed8Block => fill8(values, lengths, block.values, at, end)
      case block: Fixed16Block => fill16(values, lengths, block.values, at, end)
      case block: Fixed32Block => fill32(values, lengths, block.values, at, end)
      case block: Fixed64Block => fill64(values, lengths, block.values, at, end)
      case _: FixedBytesBlock | _: VariableBlock | _: FixedSizeListBlock | _: NestedBlock =>
        Widths.mismatch("runs of words", out)
    }
    out.truncate(end)
  }

  private def fill8(values: Slice, lengths: Slice, out: Array[Byte], at: Int, end: Int): Unit = {
    var from = at
    var run = 0
    while (from < end) {
      val value = values.array(values.offset + run)
      val to = from + (lengths.array(lengths.offset + run) & 0xff)
      out(from) = value
      out(from + 1) = value
      out(from + 2) = value
      out(from + 3) = value
      out(from + 4) = value
      out(from + 5) = value
      out(from + 6) = value
      out(from + 7) = value
      if (to > from + ShortRun) Arrays.fill(out, from + ShortRun, to, value)
      from = to
      run += 1
    }
  }

  private def fill16(values: Slice, lengths: Slice, out: Array[Short], at: Int, end: Int): Unit = {
    var from = at
    var run = 0
    while (from < end) {
      val value = LittleEndian.short(values.array, values.offset + 2 * run)
      val to = from + (lengths.array(lengths.offset + run) & 0xff)
      out(from) = value
      out(from + 1) = value
      out(from + 2) = value
      out(from + 3) = value
      out(from + 4) = value
      out(from + 5) = value
      out(from + 6) = value
      out(from + 7) = value
      if (to > from + ShortRun) Arrays.fill(out, from + ShortRun, to, value)
      from = to
      run += 1
    }
  }

  private def fill32(values: Slice, lengths: Slice, out: Array[Int], at: Int, end: Int): Unit = {
    var from = at
    var run = 0
    while (from < end) {
      val value = LittleEndian.int(values.array, values.offset + 4 * run)
      val to = from + (lengths.array(lengths.offset + run) & 0xff)
      out(from) = value
      out(from + 1) = value
      out(from + 2) = value
      out(from + 3) = value
      out(from + 4) = value
      out(from + 5) = value
      out(from + 6) = value
      out(from + 7) = value
      if (to > from + ShortRun) Arrays.fill(out, from + ShortRun, to, value)
      from = to
      run += 1
    }
  }

  private def fill64(values: Slice, lengths: Slice, out: Array[Long], at: Int, end: Int): Unit = {
    var from = at
    var run = 0
    while (from < end) {
      val value = LittleEndian.long(values.array, values.offset + 8 * run)
      val to = from + (lengths.array(lengths.offset + run) & 0xff)
      out(from) = value
      out(from + 1) = value
      out(from + 2) = value
      out(from + 3) = value
      out(from + 4) = value
      out(from + 5) = value
      out(from + 6) = value
      out(from + 7) = value
      if (to > from + ShortRun) Arrays.fill(out, from + ShortRun, to, value)
      from = to
      run += 1
    }
  }

  def encoding(bits: Int): CompressiveEncoding =
    CompressiveEncoding(Compression.Rle(Message(Some(Flat.encoding(bits)), Some(Flat.encoding(8)))))

  def compressor(bits: Int): MiniBlockCompressor = values => {
    val chunks = Vector.newBuilder[MiniBlockChunk]
    forEachChunk(values, bits) { (words, count, runs) =>
      val (starts, lengths) = encode(words, count, runs, bits)
      chunks += MiniBlockChunk(count, Vector(starts, lengths))
    }
    MiniBlockValues(chunks.result(), encoding(bits))
  }

  /** Calls `chunk` for each chunk with its widened values, their number and the number of runs. */
  private def forEachChunk(values: DataBlock, bits: Int)(chunk: (Array[Long], Int, Int) => Unit): Unit = {
    val words = new Array[Long](MaxChunkValues)
    val mostRuns = MaxChunkBytes / (bits / 8 + 1)
    var from = 0
    while (from < values.length) {
      var count = math.min(MaxChunkValues, values.length - from)
      Widths.widen(values, from, count, words)
      var runs = countRuns(words, count)
      while (runs > mostRuns) {
        // The last chunk has any number of values, the others a power of two.
        count = Integer.highestOneBit(count - 1)
        runs = countRuns(words, count)
      }
      chunk(words, count, runs)
      from += count
    }
  }

  def blockCompressor(bits: Int): BlockCompressor = values => {
    val words = new Array[Long](values.length)
    Widths.widen(values, 0, values.length, words)
    val (runs, lengths) = encode(words, values.length, countRuns(words, values.length), bits)
    val target = new Array[Byte](8 + runs.length + lengths.length)
    LittleEndian.putLong(target, 0, runs.length.toLong)
    System.arraycopy(runs.array, runs.offset, target, 8, runs.length)
    System.arraycopy(lengths.array, lengths.offset, target, 8 + runs.length, lengths.length)
    BlockValues(Slice(target), encoding(bits))
  }

  /** Returns the bytes of all runs, chunk by chunk. A result above `atMost` is a lower bound. */
  def encodedSize(values: DataBlock, bits: Int, atMost: Long): Long = {
    val least = runs(values, bits) * (bits / 8 + 1)
    if (least > atMost) least else exactSize(values, bits)
  }

  /** Returns the number of runs of unlimited length. */
  def runs(values: DataBlock, bits: Int): Long = {
    var ends = if (values.length > 0) 1L else 0L
    var i = 1
    values match {
      case block: Fixed8Block =>
        while (i < block.length) { if (block.values(i) != block.values(i - 1)) ends += 1; i += 1 }
      case block: Fixed16Block =>
        while (i < block.length) { if (block.values(i) != block.values(i - 1)) ends += 1; i += 1 }
      case block: Fixed32Block =>
        while (i < block.length) { if (block.values(i) != block.values(i - 1)) ends += 1; i += 1 }
      case block: Fixed64Block =>
        while (i < block.length) { if (block.values(i) != block.values(i - 1)) ends += 1; i += 1 }
      case _: FixedBytesBlock | _: VariableBlock | _: FixedSizeListBlock | _: NestedBlock =>
        Widths.mismatch(s"runs of words of $bits bits", values)
    }
    ends
  }

  private def exactSize(values: DataBlock, bits: Int): Long = {
    var size = 0L
    forEachChunk(values, bits)((_, _, runs) => size += runs.toLong * (bits / 8 + 1))
    size
  }

  private def countRuns(words: Array[Long], count: Int): Int = {
    var runs = 0
    var from = 0
    while (from < count) {
      from = runEnd(words, from, count)
      runs += 1
    }
    runs
  }

  private def runEnd(words: Array[Long], from: Int, count: Int): Int = {
    val limit = math.min(count, from + MaxRun)
    var end = from + 1
    while (end < limit && words(end) == words(from)) end += 1
    end
  }

  /** Returns the buffers of values and of lengths. */
  private def encode(words: Array[Long], count: Int, runs: Int, bits: Int): (Slice, Slice) = {
    val starts = new Array[Byte](runs * (bits / 8))
    val lengths = new Array[Byte](runs)
    var start = 0
    var run = 0
    while (run < runs) {
      val end = runEnd(words, start, count)
      put(starts, run, bits, words(start))
      lengths(run) = (end - start).toByte
      start = end
      run += 1
    }
    (Slice(starts), Slice(lengths))
  }

  private def put(target: Array[Byte], index: Int, bits: Int, word: Long): Unit = bits match {
    case 8 => target(index) = word.toByte
    case 16 => LittleEndian.putShort(target, 2 * index, word.toShort)
    case 32 => LittleEndian.putInt(target, 4 * index, word.toInt)
    case 64 => LittleEndian.putLong(target, 8 * index, word)
  }
}
