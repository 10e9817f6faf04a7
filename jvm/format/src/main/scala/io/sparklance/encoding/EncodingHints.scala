package io.sparklance.encoding

import io.sparklance.LanceUsageException
import io.sparklance.proto.encodings.{BufferCompression, CompressionScheme}
import io.sparklance.schema.Field

/** Encodings that a column's metadata ask for. Its values decide everything else.
  *
  * @param rleThreshold
  *   largest number of runs, as a share of the values, that is stored as runs
  * @param chunkBytes
  *   approximate bytes of strings in a mini-block chunk
  */
final private[sparklance] case class EncodingHints(
    compression: Option[EncodingHints.Compression] = None,
    rleThreshold: Option[Double] = None,
    chunkBytes: Option[Int] = None,
    dictionary: EncodingHints.DictionaryHints = EncodingHints.DictionaryHints(),
    byteStreamSplit: EncodingHints.ByteStreamSplitMode = EncodingHints.ByteStreamSplitMode.Auto,
    structure: Option[EncodingHints.Structure] = None
) {

  /** General compression of chunks and of single values. */
  def general: Option[BufferCompression] = compression.collect { case EncodingHints.General(codec) => codec }

  /** Whether to store values without compression. */
  def asTheyAre: Boolean = compression.contains(EncodingHints.Uncompressed)
}

private[sparklance] object EncodingHints {

  /** Hints of a column whose metadata ask for nothing. */
  val Free: EncodingHints = EncodingHints()

  final val CompressionKey = "lance-encoding:compression"
  final val CompressionLevelKey = "lance-encoding:compression-level"

  sealed trait Compression
  case object Uncompressed extends Compression
  case object Fsst extends Compression
  final case class General(codec: BufferCompression) extends Compression

  sealed trait Structure
  case object MiniBlock extends Structure
  case object FullZip extends Structure

  sealed trait ByteStreamSplitMode
  object ByteStreamSplitMode {
    case object Off extends ByteStreamSplitMode
    case object On extends ByteStreamSplitMode
    case object Auto extends ByteStreamSplitMode
  }

  /** @param divisor
    *   a dictionary has at most this fraction of the page's values as items
    * @param sizeRatio
    *   largest size of dictionary and positions, as a share of the plain values
    * @param maxBytes
    *   largest size of a dictionary's items
    * @param values
    *   compression of a dictionary's items
    */
  final case class DictionaryHints(
      divisor: Int = 2,
      sizeRatio: Double = 0.8,
      maxBytes: Long = 8L << 20,
      values: Option[Compression] = None
  )

  /** @param root the top-level field that contains `leaf`, or `leaf` itself */
  def of(leaf: Field, root: Field): EncodingHints = {
    val read = new Reading(leaf)
    EncodingHints(
      compression = read.compression(CompressionKey, CompressionLevelKey),
      rleThreshold = read("rle-threshold")(_.toDoubleOption),
      chunkBytes = read("minichunk-size")(_.toIntOption.filter(_ > 0)),
      dictionary = DictionaryHints(
        divisor = read("dict-divisor")(_.toIntOption.filter(_ > 0)).getOrElse(2),
        sizeRatio = read("dict-size-ratio")(_.toDoubleOption.filter(r => r > 0 && r <= 1)).getOrElse(0.8),
        maxBytes = read("dict-max-size")(_.toLongOption.filter(_ >= 0)).getOrElse(8L << 20),
        values = read.compression(
          "lance-encoding:dict-values-compression",
          "lance-encoding:dict-values-compression-level"
        )
      ),
      byteStreamSplit = read("bss")(splitModes.get).getOrElse(ByteStreamSplitMode.Auto),
      structure = new Reading(root)("structural-encoding")(structures.get)
    )
  }

  /** @param text as users write it: none, fsst, lz4, zstd, or zstd:level */
  def parseCompression(text: String): Option[Compression] = text.toLowerCase.split(":", 2).toList match {
    case List("none") => Some(Uncompressed)
    case List("fsst") => Some(Fsst)
    case List("lz4") => Some(General(BufferCompression(CompressionScheme.COMPRESSION_ALGORITHM_LZ4)))
    case List("zstd") => Some(zstd(None))
    case List("zstd", level) => level.toIntOption.filter(zstdLevels.contains(_)).map(l => zstd(Some(l)))
    case _ => None
  }

  private val zstdLevels = -7 to 22

  private def zstd(level: Option[Int]): General =
    General(BufferCompression(CompressionScheme.COMPRESSION_ALGORITHM_ZSTD, level))

  private val splitModes = Map(
    "off" -> ByteStreamSplitMode.Off,
    "on" -> ByteStreamSplitMode.On,
    "auto" -> ByteStreamSplitMode.Auto
  )

  private val structures = Map("miniblock" -> MiniBlock, "fullzip" -> FullZip)

  /** Looks keys up in a field's metadata. Refuses invalid values. */
  final private class Reading(field: Field) {

    def apply[A](key: String)(parse: String => Option[A]): Option[A] =
      value(s"lance-encoding:$key", s"lance-encoding:$key")(parse)

    def compression(key: String, levelKey: String): Option[Compression] = {
      val level = value(levelKey, levelKey)(text => text.toIntOption.filter(zstdLevels.contains(_)))
      value(key, key)(parseCompression).map {
        case General(codec) if codec.scheme.isCompressionAlgorithmZstd =>
          General(codec.copy(level = level.orElse(codec.level)))
        case other => other
      }
    }

    private def value[A](key: String, name: String)(parse: String => Option[A]): Option[A] =
      field.metadata.get(key).map { text =>
        parse(text.trim).getOrElse(
          throw new LanceUsageException(
            s"The metadata of column '${field.name}' have $name = '$text', which is not a valid value. " +
              "Correct it, or leave it out."
          )
        )
      }
  }
}
