package io.sparklance.encoding.physical

import java.io.{ByteArrayInputStream, IOException}
import java.lang.ref.Cleaner

import scala.util.Using

import com.github.luben.zstd.{
  Zstd,
  ZstdCompressCtx,
  ZstdDecompressCtx,
  ZstdException,
  ZstdInputStreamNoFinalizer
}
import net.jpountz.lz4.{LZ4Exception, LZ4Factory}

import io.sparklance.data.{LittleEndian, Slice}
import io.sparklance.proto.encodings.{BufferCompression, CompressionScheme}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** General-purpose compression of a stretch of bytes, framed by its decompressed size:
  *
  * {{{
  * zstd  u64 size | one zstd frame        a frame alone is read too, if it records its size
  * lz4   u32 size | one LZ4 block (not the LZ4 frame format)
  * }}}
  *
  * An empty input decompresses to nothing. A size is allocated only if the compressed bytes can expand to it,
  * and if it is at most the caller's limit.
  */
sealed abstract private[encoding] class BlockCodec(val scheme: CompressionScheme) {
  import BlockCodec.Payload

  /** Parses and checks the frame of `framed`.
    *
    * @param atMost
    *   the largest decompressed size that the caller accepts
    */
  def open(framed: Slice, atMost: Long): Payload

  /** Fills `out[at, at + payload.size)`. */
  def decompress(payload: Payload, out: Array[Byte], at: Int): Unit

  /** @param level zstd's level, its default if None; LZ4 has no levels */
  def compress(bytes: Array[Byte], from: Int, size: Int, level: Option[Int] = None): Slice

  protected def believable(compressed: Slice, size: Long, maxRatio: Int, atMost: Long): Payload = {
    if (size < 0 || size > BlockCodec.MaxBytes || size > compressed.length.toLong * maxRatio)
      throw new LanceFormatException(s"${compressed.length} compressed bytes claim to hold $size")
    if (size > atMost)
      throw new LanceFormatException(
        s"${compressed.length} compressed bytes claim to hold $size where $atMost are the most"
      )
    Payload(compressed, size.toInt)
  }
}

private[encoding] object BlockCodec {
  final case class Payload(compressed: Slice, size: Int)
  private val NoPayload = Payload(Slice.Empty, 0)

  /** The largest array. */
  final val MaxBytes = Int.MaxValue - 8L

  def of(compression: Option[BufferCompression]): BlockCodec =
    compression.fold[CompressionScheme](CompressionScheme.COMPRESSION_ALGORITHM_UNSPECIFIED)(_.scheme) match {
      case CompressionScheme.COMPRESSION_ALGORITHM_LZ4 => Lz4
      case CompressionScheme.COMPRESSION_ALGORITHM_ZSTD => ZstdFrame
      case CompressionScheme.COMPRESSION_ALGORITHM_UNSPECIFIED =>
        throw new LanceFormatException("general compression does not name its scheme")
      case CompressionScheme.Unrecognized(number) =>
        throw new UnsupportedLanceFeatureException(s"compression scheme $number")
    }

  case object ZstdFrame extends BlockCodec(CompressionScheme.COMPRESSION_ALGORITHM_ZSTD) {
    private val SizeBytes = 8
    private val Magic = 0xfd2fb528
    private val ReservedBit = 0x10

    /** A block of 4 bytes can say "the same byte 128 KiB long". */
    private val MaxRatio = 1 << 15

    /** Largest size that is accepted without a proof, for a frame whose header has no size. */
    private val Trusted = 64L << 20

    def open(framed: Slice, atMost: Long): Payload =
      if (framed.length == 0) NoPayload
      else {
        // A size that equals the frame magic has a bit set that frames must not set.
        val isBare = framed.long(0).toInt == Magic && (framed.unsignedByte(4) & ReservedBit) == 0
        val frame =
          if (isBare) framed
          else framed.slice(SizeBytes.toLong, framed.length - SizeBytes.toLong, "a zstd frame")
        val told = Zstd.getFrameContentSize(frame.array, frame.offset, frame.length)
        val size = if (isBare) told else framed.long(0)
        if (isBare && told <= 0)
          throw new UnsupportedLanceFeatureException("a zstd frame that does not record its size")
        if (told > 0 && told != size)
          throw new LanceFormatException(s"a zstd frame of $told bytes is announced as $size")
        val payload = believable(frame, size, MaxRatio, atMost)
        if (told <= 0 && size > Trusted && !holds(frame, size))
          throw new LanceFormatException(s"a zstd frame does not hold the $size bytes that are announced")
        payload
      }

    /** Decompresses a frame piece by piece, to check its size before it is allocated. */
    private def holds(frame: Slice, size: Long): Boolean = {
      val bytes = new ByteArrayInputStream(frame.array, frame.offset, frame.length)
      try
        Using.resource(new ZstdInputStreamNoFinalizer(bytes)) { in =>
          val piece = new Array[Byte](128 << 10)
          Iterator.continually(in.read(piece)).takeWhile(_ >= 0).scanLeft(0L)(_ + _).find(_ >= size).isDefined
        }
      catch { case e: IOException => throw corrupt("zstd", e) }
    }

    def decompress(payload: Payload, out: Array[Byte], at: Int): Unit = if (payload.compressed.length > 0) {
      val Payload(frame, size) = payload
      val written =
        try ZstdContext.get.decompressByteArray(out, at, size, frame.array, frame.offset, frame.length)
        catch { case e: ZstdException => throw corrupt("zstd", e) }
      if (written != size) throw new LanceFormatException(s"a zstd frame has $written bytes, not $size")
    }

    def compress(bytes: Array[Byte], from: Int, size: Int, level: Option[Int]): Slice = {
      val bound = Math.toIntExact(SizeBytes + Zstd.compressBound(size.toLong))
      val out = new Array[Byte](bound)
      LittleEndian.putLong(out, 0, size.toLong)
      val context = ZstdContext.compressing(level.getOrElse(Zstd.defaultCompressionLevel))
      val written = context.compressByteArray(out, SizeBytes, bound - SizeBytes, bytes, from, size)
      Slice(out, 0, SizeBytes + written)
    }
  }

  case object Lz4 extends BlockCodec(CompressionScheme.COMPRESSION_ALGORITHM_LZ4) {
    private val SizeBytes = 4

    /** A byte lengthens a match by 255 at most. */
    private val MaxRatio = 255
    private lazy val factory = LZ4Factory.fastestInstance()

    def open(framed: Slice, atMost: Long): Payload =
      if (framed.length == 0) NoPayload
      else {
        val size = framed.unsignedInt(0)
        val block = framed.slice(SizeBytes.toLong, framed.length - SizeBytes.toLong, "an LZ4 block")
        believable(block, size, MaxRatio, atMost)
      }

    def decompress(payload: Payload, out: Array[Byte], at: Int): Unit = if (payload.compressed.length > 0) {
      val Payload(block, size) = payload
      val written =
        try factory.safeDecompressor().decompress(block.array, block.offset, block.length, out, at, size)
        catch { case e: LZ4Exception => throw corrupt("LZ4", e) }
      if (written != size) throw new LanceFormatException(s"an LZ4 block has $written bytes, not $size")
    }

    def compress(bytes: Array[Byte], from: Int, size: Int, level: Option[Int]): Slice = {
      val compressor = factory.fastCompressor()
      val out = new Array[Byte](SizeBytes + compressor.maxCompressedLength(size))
      LittleEndian.putInt(out, 0, size)
      Slice(out, 0, SizeBytes + compressor.compress(bytes, from, size, out, SizeBytes))
    }
  }

  private def corrupt(codec: String, cause: Exception): LanceFormatException =
    new LanceFormatException(s"corrupt $codec data: ${cause.getMessage}", cause = cause)
}

/** A thread's own contexts, whose native memory zstd-jni does not free by itself. */
final private class ZstdContext {
  val native = new ZstdDecompressCtx
  val compressing = new ZstdCompressCtx
}

private object ZstdContext {
  private val cleaner = Cleaner.create()
  private val ofThread = ThreadLocal.withInitial[ZstdContext](() => freedWithItsThread())

  def get: ZstdDecompressCtx = ofThread.get.native

  def compressing(level: Int): ZstdCompressCtx = ofThread.get.compressing.setLevel(level)

  private def freedWithItsThread(): ZstdContext = {
    val context = new ZstdContext
    // The action must not refer to `context`, which becomes unreachable when the thread ends.
    val (native, compressing) = (context.native, context.compressing)
    cleaner.register(context, () => { native.close(); compressing.close() })
    context
  }
}
