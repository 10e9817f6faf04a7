package io.sparklance.encoding.compression

import io.sparklance.data.{DataBlock, FileVersion, ValueShape}
import io.sparklance.encoding.compression.CompressionStrategy.Subject
import io.sparklance.encoding.physical.{DictionaryEncoder, Flat, General, Variable}
import io.sparklance.encoding.{BlockCompressor, BlockValues, EncodingHints, MiniBlockCompressor}

/** A page's distinct values, and the position of each value among them.
  *
  * @param bits
  *   width of a position
  * @param count
  *   number of items
  */
final private[sparklance] case class PageDictionary(
    positions: DataBlock,
    bits: Int,
    items: BlockValues,
    count: Int
)

private[sparklance] object DictionaryStrategy {

  /** pylance's minimum. */
  final private val MinValues = 100
  final private val MaxItems = 100000

  /** Width of positions in a dictionary that the writer chooses. */
  final private val PositionBits = 32

  /** Strings up to this length shrink to about half with FSST. */
  final private val FsstLongest = 5

  def apply(subject: Subject): Option[PageDictionary] =
    for {
      _ <- Option.when(mayHaveOne(subject))(())
      limits = limitsFor(subject)
      ratio = if (subject.isSmallest) 1.0 else subject.hints.dictionary.sizeRatio
      most = (ratio * sizeWithout(subject)).toLong
      _ <- Option.when(looksWorthIt(subject, limits, most))(())
      encoded <- DictionaryEncoder.encode(subject.values, limits, subject.nulls)
      items = itemsCompressor(subject).compress(encoded.items)
      size = if (subject.wideSize.isDefined || subject.isSmallest) items.buffer.length.toLong
      else encoded.items.sizeInBytes
      all = size + sizeOfPositions(encoded.positions, subject)
      _ <- Option.when(all <= most && isCheaperThanChunks(all, subject))(())
    } yield PageDictionary(encoded.positions, PositionBits, items, encoded.items.length)

  /** Returns the dictionary of a column with a dictionary type. */
  def typed(subject: Subject, dictionary: TypedDictionary): PageDictionary = PageDictionary(
    dictionary.positions,
    dictionary.bits,
    itemsCompressor(subject).compress(dictionary.items),
    dictionary.items.length
  )

  /** Chooses the compression of a page's positions.
    *
    * @param subject
    *   the page's values
    */
  def positions(dictionary: PageDictionary, subject: Subject): MiniBlockCompressor =
    CompressionStrategy.miniBlock(positionsSubject(dictionary.positions, dictionary.bits, subject))

  private def positionsSubject(positions: DataBlock, bits: Int, of: Subject): Subject = {
    val hints = EncodingHints(compression = of.hints.compression.filter(_ => of.isSmallest))
    Subject(positions, ValueShape.FixedWidth(bits), hints, of.version, of.nulls)
  }

  private def mayHaveOne(subject: Subject): Boolean =
    subject.values.length >= MinValues && !subject.hints.asTheyAre &&
      DictionaryEncoder.isFor(subject.values) &&
      // pylance reads no others in 2.1.
      (subject.version != FileVersion.V2_1 || subject.shape != ValueShape.FixedWidth(64))

  private def limitsFor(subject: Subject): DictionaryEncoder.Limits =
    DictionaryEncoder.Limits(
      math.min(MaxItems, subject.values.length / subject.hints.dictionary.divisor),
      subject.hints.dictionary.maxBytes
    )

  /** Estimates the bytes of the values in the best other encoding. */
  private def sizeWithout(subject: Subject): Long =
    subject.smallest.fold(sizeByDefault(subject))(choice => (choice.bytes * subject.values.length).toLong)

  private def sizeByDefault(subject: Subject): Long = subject.shape match {
    case ValueShape.VariableWidth(_) =>
      val offsets = 4L * subject.values.length
      val bytes = subject.flatSize - offsets
      offsets + (if (subject.longest >= FsstLongest) bytes / 2 else bytes)
    case ValueShape.FixedWidth(_) | ValueShape.FixedSizeList(_, _) | ValueShape.Struct(_) =>
      subject.wideSize.getOrElse(math.min(subject.flatSize, math.min(subject.packedSize, subject.runsSize)))
  }

  /** Decides by a sample whether to look at all values. */
  private def looksWorthIt(subject: Subject, limits: DictionaryEncoder.Limits, most: Long): Boolean = {
    val items = DictionaryEncoder.estimate(subject.values)
    // Wide values shrink in a dictionary, too.
    val bytes = items * subject.wideSize.getOrElse(subject.flatSize) / subject.values.length
    val bits = 64 - java.lang.Long.numberOfLeadingZeros(items)
    items <= limits.maxItems && bytes <= limits.maxBytes && bytes <= most &&
    // Positions may turn out to be runs.
    bytes + subject.values.length.toLong * bits / 8 <= 4 * most
  }

  private def isCheaperThanChunks(size: Long, subject: Subject): Boolean = {
    val nanos = DecodeCost.nanos(DecodeCost.Form.Dictionary, PositionBits)
    val cost = DecodeCost(size.toDouble / subject.values.length, nanos)
    subject.wide.forall(!_.cost.isWorth(cost, subject.flatSize.toDouble / subject.values.length))
  }

  private def sizeOfPositions(block: DataBlock, subject: Subject): Long = {
    val positions = positionsSubject(block, PositionBits, subject)
    math.min(positions.packedSize, positions.runsSize)
  }

  private def itemsCompressor(subject: Subject): BlockCompressor = {
    val plain = subject.shape match {
      case ValueShape.FixedWidth(bits) => Flat.blockCompressor(bits)
      case ValueShape.VariableWidth(offsetBits) => Variable.blockCompressor(offsetBits)
      case ValueShape.FixedSizeList(_, _) | ValueShape.Struct(_) =>
        throw new IllegalArgumentException(s"a dictionary of ${subject.shape}")
    }
    (subject.version, subject.hints.dictionary.values) match {
      case (FileVersion.V0_1 | FileVersion.V2_0 | FileVersion.V2_1, _) => plain
      case (FileVersion.V2_2, Some(EncodingHints.General(codec))) => General.blockCompressor(codec, plain)
      case (FileVersion.V2_2, Some(EncodingHints.Uncompressed | EncodingHints.Fsst)) => plain
      case (FileVersion.V2_2, None) => smaller(plain)
    }
  }

  /** LZ4, or zstd if that saves much. */
  private def smaller(plain: BlockCompressor): BlockCompressor = values => {
    val fast = General.blockCompressor(CompressedChunks.Lz4, plain).compress(values)
    val small = General.blockCompressor(CompressedChunks.Zstd, plain).compress(values)
    if (small.buffer.length <= DecodeCost.MostShare * fast.buffer.length) small else fast
  }
}
