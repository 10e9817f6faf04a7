package io.sparklance.encoding.physical

import io.sparklance.data.{DataBlock, Slice, ValueShape, VariableBlock}
import io.sparklance.encoding.{
  BlockCompressor,
  BlockDecompressor,
  BlockValues,
  MiniBlockCompressor,
  MiniBlockDecompressor,
  MiniBlockValues,
  PerValueCompressor,
  PerValueDecompressor,
  PerValueStrings
}
import io.sparklance.proto.encodings.BufferCompression
import io.sparklance.proto.encodings.CompressiveEncoding.Compression
import io.sparklance.proto.{encodings => proto}

/** zstd or LZ4 around another encoding. Message `General`; framing in [[BlockCodec]]. Unit of compression:
  *
  * {{{
  * mini-block   the first buffer of each chunk; others (lengths of runs) stay as they are
  * block        the buffer
  * full-zip     each value for itself
  * }}}
  */
private[sparklance] object General {

  /** Smallest total size of a page's first buffers that is worth compressing. */
  private val MinBytes = 4096

  def miniBlock(
      scheme: Option[BufferCompression],
      inner: MiniBlockDecompressor,
      shape: ValueShape
  ): MiniBlockDecompressor = {
    val codec = BlockCodec.of(scheme)
    new MiniBlockDecompressor {
      def decompress(buffers: Array[Slice], count: Int, out: DataBlock): Unit =
        within(buffers, count)(inner.decompress(_, count, out))

      override def hasCandidates: Boolean = inner.hasCandidates

      override def candidates(buffers: Array[Slice], count: Int, out: DataBlock): Boolean = {
        var found = false
        within(buffers, count)(inside => found = inner.candidates(inside, count, out))
        found
      }

      private def within(buffers: Array[Slice], count: Int)(use: Array[Slice] => Unit): Unit =
        if (buffers.isEmpty) use(buffers)
        else expanded(codec, buffers(0), mostBytes(shape, count))(first => use(buffers.updated(0, first)))
    }
  }

  def block(
      scheme: Option[BufferCompression],
      inner: BlockDecompressor,
      shape: ValueShape
  ): BlockDecompressor = {
    val codec = BlockCodec.of(scheme)
    (buffer, count, out) =>
      expanded(codec, buffer, mostBytes(shape, count))(inner.decompress(_, count, out))
  }

  /** Returns the decoder of strings that are compressed one by one. */
  def perValue(scheme: Option[BufferCompression]): PerValueDecompressor = {
    val codec = BlockCodec.of(scheme)
    (bytes, from, size, out) => {
      val strings = Variable.asVariable(out)
      val payload = codec.open(Slice(bytes, from, size), BlockCodec.MaxBytes)
      strings.reserve(1, payload.size)
      codec.decompress(payload, strings.bytes, strings.byteLength)
      strings.offsets(strings.length + 1) = strings.byteLength + payload.size
      strings.advance(1)
    }
  }

  /** Compresses if that makes the page smaller; otherwise leaves it to `inner`. */
  def compressor(scheme: BufferCompression, inner: MiniBlockCompressor): MiniBlockCompressor = {
    val codec = BlockCodec.of(Some(scheme))
    values => {
      val plain = inner.compress(values)
      val first = plain.chunks.map(_.buffers.head)
      val size = first.map(_.length.toLong).sum
      if (size < MinBytes) plain
      else {
        val compressed = first.map(compress(codec, _, scheme))
        val chunks = plain.chunks.zip(compressed).map { case (chunk, buffer) =>
          chunk.copy(buffers = chunk.buffers.updated(0, buffer))
        }
        if (compressed.map(_.length.toLong).sum >= size) plain
        else MiniBlockValues(chunks, encoding(scheme, plain.encoding))
      }
    }
  }

  /** Returns the bytes of a buffer that is compressed. */
  def compressedSize(scheme: BufferCompression, buffer: Slice): Long =
    compress(BlockCodec.of(Some(scheme)), buffer, scheme).length.toLong

  /** Compresses a block, even if that makes it larger. */
  def compressed(scheme: BufferCompression, block: BlockValues): BlockValues =
    BlockValues(compress(BlockCodec.of(Some(scheme)), block.buffer, scheme), encoding(scheme, block.encoding))

  /** Compresses if that makes the block smaller; otherwise leaves it to `inner`. */
  def blockCompressor(scheme: BufferCompression, inner: BlockCompressor): BlockCompressor = {
    val codec = BlockCodec.of(Some(scheme))
    values => {
      val plain = inner.compress(values)
      val compressed = compress(codec, plain.buffer, scheme)
      if (compressed.length >= plain.buffer.length) plain
      else BlockValues(compressed, encoding(scheme, plain.encoding))
    }
  }

  /** Compresses the strings one by one if that makes them shorter in total; otherwise leaves them to `inner`.
    */
  def perValueCompressor(scheme: BufferCompression, inner: PerValueCompressor): PerValueCompressor = {
    val codec = BlockCodec.of(Some(scheme))
    strings => {
      val plain = inner.compress(strings)
      if (!shortens(codec, scheme, strings)) plain
      else PerValueStrings(compressEach(codec, scheme, plain.strings), encoding(scheme, plain.encoding))
    }
  }

  /** Whether a sample of strings, or of their starts, becomes shorter. */
  private def shortens(codec: BlockCodec, scheme: BufferCompression, strings: VariableBlock): Boolean = {
    val few = math.min(strings.length, SampleValues)
    val sizes = (0 until few).map { k =>
      val i = (k.toLong * strings.length / few).toInt
      val size = math.min(SampleBytes, strings.offsets(i + 1) - strings.offsets(i))
      (size, codec.compress(strings.bytes, strings.offsets(i), size, scheme.level).length)
    }
    sizes.map(_._2).sum < sizes.map(_._1).sum
  }

  private val SampleValues = 16
  private val SampleBytes = 1 << 16

  /** Compresses empty strings, too: pylance requires the size in front of LZ4 data. */
  private def compressEach(
      codec: BlockCodec,
      scheme: BufferCompression,
      strings: VariableBlock
  ): VariableBlock = {
    val out = new VariableBlock
    var i = 0
    while (i < strings.length) {
      val start = strings.offsets(i)
      val value = codec.compress(strings.bytes, start, strings.offsets(i + 1) - start, scheme.level)
      out.append(value.array, value.offset, value.length)
      i += 1
    }
    out
  }

  def encoding(scheme: BufferCompression, inner: proto.CompressiveEncoding): proto.CompressiveEncoding =
    proto.CompressiveEncoding(Compression.General(proto.General(Some(scheme), Some(inner))))

  private def compress(codec: BlockCodec, bytes: Slice, scheme: BufferCompression): Slice =
    codec.compress(bytes.array, bytes.offset, bytes.length, scheme.level)

  /** Largest accepted chunk or dictionary of strings. Writers aim at some KiB and at 8 MiB. */
  private val MaxStringBytes = 256L << 20

  /** Upper bound of the size of `count` values in any encoding, with full groups of 1024, run lengths and
    * headers.
    */
  private def mostBytes(shape: ValueShape, count: Int): Long =
    if (ValueShape.isVariable(shape)) MaxStringBytes
    else
      Math.addExact(Math.multiplyExact(math.max(count, 1024).toLong, ValueShape.minimumBytes(shape) + 1), 64L)

  /** Largest array that is kept from one buffer to the next. */
  private val KeptBytes = 1 << 20
  private val kept = ThreadLocal.withInitial[Array[Byte]](() => Array.emptyByteArray)

  /** Runs `use` on the decompressed bytes of `framed`, in an array that belongs to this call until it
    * returns.
    */
  private def expanded(codec: BlockCodec, framed: Slice, atMost: Long)(use: Slice => Unit): Unit = {
    val payload = codec.open(framed, atMost)
    val mine = kept.get
    val array = if (mine.length >= payload.size) mine else new Array[Byte](payload.size)
    // One general compression within another must not find its input's array here.
    kept.set(Array.emptyByteArray)
    codec.decompress(payload, array, 0)
    use(Slice(array, 0, payload.size))
    if (array.length <= KeptBytes) kept.set(array)
  }
}
