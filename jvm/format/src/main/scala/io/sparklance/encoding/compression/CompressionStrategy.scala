package io.sparklance.encoding.compression

import io.sparklance.data.{DataBlock, FileVersion, NullMask, ValueShape, VariableBlock}
import io.sparklance.encoding.EncodingHints.ByteStreamSplitMode
import io.sparklance.encoding.compression.DecodeCost.Form
import io.sparklance.encoding.physical.{
  ByteStreamSplit,
  FixedSizeListValues,
  Flat,
  FsstEncoder,
  General,
  InlineBitpacking,
  Rle,
  Variable
}
import io.sparklance.encoding.{EncodingHints, MiniBlockCompressor, PerValueCompressor}
import io.sparklance.proto.encodings.{BufferCompression, CompressionScheme}

/** The writer's choice of compressions: the first rule that applies decides. */
private[sparklance] object CompressionStrategy {

  /** Input of a choice. Null slots of `values` hold zeroes. */
  final case class Subject(
      values: DataBlock,
      shape: ValueShape,
      hints: EncodingHints,
      version: FileVersion,
      nulls: NullMask = new NullMask
  ) {

    /** Width of the values in bits, if they are machine words. */
    def wordBits: Option[Int] = shape match {
      case ValueShape.FixedWidth(bits @ (8 | 16 | 32 | 64)) => Some(bits)
      case ValueShape.FixedWidth(_) | ValueShape.VariableWidth(_) | ValueShape.FixedSizeList(_, _) |
          ValueShape.Struct(_) =>
        None
    }

    /** Whether the user asks for the fewest bytes. */
    def isSmallest: Boolean = hints.general.exists(_.scheme.isCompressionAlgorithmZstd)

    /** Bytes of the longest value. */
    lazy val longest: Long = BlockStats.longestValue(values, shape)

    /** Bytes when bit-packed; the flat size if the values cannot be. */
    lazy val packedSize: Long = wordBits.fold(flatSize)(InlineBitpacking.packedSize(values, _))

    /** Words of which nulls end no run. */
    lazy val continued: DataBlock = if (nulls.hasNulls) Continued(values, nulls) else values

    /** Words that are best for runs, or other values. */
    def inRuns: DataBlock = if (wordBits.isDefined) continued else values

    /** The form with the fewest bytes, if the user asks for it. */
    lazy val smallest: Option[SmallestStrategy.Choice] = SmallestStrategy(this)

    /** Cost of a value that is bit-packed, or plain if that is smaller. */
    def packedCost(bits: Int): DecodeCost = {
      val form = if (packedSize < flatSize) Form.Packed else Form.Plain
      DecodeCost(
        math.min(packedSize, flatSize).toDouble / math.max(1, values.length),
        DecodeCost.nanos(form, bits)
      )
    }

    /** Bytes as runs; exact only up to [[packedSize]]. The flat size if the values cannot be runs. */
    lazy val runsSize: Long = wordBits.fold(flatSize)(Rle.encodedSize(continued, _, atMost = packedSize))

    /** Width of values that may be compressed as they are: those that are no words. */
    def wideBits: Option[Int] = shape match {
      case ValueShape.FixedWidth(bits) if wordBits.isEmpty && hints.compression.isEmpty => Some(bits)
      case ValueShape.FixedWidth(_) | ValueShape.VariableWidth(_) | ValueShape.FixedSizeList(_, _) |
          ValueShape.Struct(_) =>
        None
    }

    /** Plain wide values with each codec around them. */
    private lazy val wideTrials: Vector[CompressedChunks.Trial] = wideBits.toVector.flatMap { bits =>
      val forms = CompressedChunks.Forms(Form.Lz4, Form.Zstd, DecodeCost.nanos(_, bits))
      val perChunk = Flat.chunkValues(bits, wideChunkBytes)
      CompressedChunks.trials(values, Flat.compressor(bits, wideChunkBytes), perChunk, forms)
    }

    /** The best codec around plain wide values, if one is worth it. */
    lazy val wide: Option[CompressedChunks.Trial] = cheapestWide(wideTrials)

    /** Bytes of wide values with LZ4, if these are worth it. */
    lazy val wideSize: Option[Long] =
      cheapestWide(wideTrials.filter(_.isLz4)).map(trial => (trial.cost.bytes * values.length).toLong)

    private def cheapestWide(trials: Vector[CompressedChunks.Trial]): Option[CompressedChunks.Trial] =
      wideBits.flatMap { bits =>
        CompressedChunks.cheapest(
          trials,
          DecodeCost(bits / 8.0, DecodeCost.nanos(Form.Plain, bits)),
          // A boolean takes a byte in memory.
          math.max(1.0, bits / 8.0)
        )
      }

    /** Bytes of a chunk before compression, which takes about as many as a plain one of 2.1. */
    def wideChunkBytes: Int = if (version == FileVersion.V2_1) 2 * Flat.ChunkBytes else FlatChunkBytes

    def flatSize: Long = shape match {
      case ValueShape.FixedWidth(bits) => Flat.sizeOf(values.length.toLong, bits)
      case ValueShape.VariableWidth(_) | ValueShape.FixedSizeList(_, _) | ValueShape.Struct(_) =>
        values.sizeInBytes
    }

    /** Largest chunk of strings, or of values that are compressed together; chunks of 2.1 are small. */
    def chunkBytes: Int = chunkBytes(
      if (hints.general.isEmpty || version == FileVersion.V2_1) Variable.ChunkBytes
      else if (isSmallest) SmallestChunkBytes
      else GeneralChunkBytes
    )

    /** Largest chunk of plain fixed-width values. */
    def flatChunkBytes: Int =
      if (hints.general.isDefined) 2 * chunkBytes
      else if (version == FileVersion.V2_1) Flat.ChunkBytes
      else FlatChunkBytes

    /** @param usual the size without a hint */
    def chunkBytes(usual: Int): Int =
      math.min(
        hints.chunkBytes.getOrElse(usual),
        if (version == FileVersion.V2_1) MaxChunkBytes21 else Int.MaxValue
      )
  }

  type Rule = Subject => Option[MiniBlockCompressor]

  /** Chunks that are compressed as a whole are larger, to contain repetition. */
  final private val GeneralChunkBytes = 32 << 10
  final private val SmallestChunkBytes = 128 << 10

  /** Twice pylance's chunk size. pylance reads such chunks of 16-byte decimals in 0.67 of the time. */
  final private val FlatChunkBytes = 16 << 10
  final private val SplitChunkBytes = 8 << 10

  /** Less than the size field of a 2.1 chunk can hold, to leave room for levels. */
  final private val MaxChunkBytes21 = 16 << 10

  /** Rules for the values of mini-block pages: special ones first, those for all data of a shape last. */
  val rules: Vector[Rule] =
    Vector(
      asTheyAre,
      smallest,
      splitBytes,
      runLength,
      splitWords,
      bitpacking,
      wide,
      flat,
      texts,
      variable,
      fixedSizeList
    )

  def miniBlock(subject: Subject): MiniBlockCompressor = {
    val inner = rules.iterator
      .flatMap(_(subject))
      .nextOption()
      .getOrElse(throw new IllegalStateException(s"no rule for values of ${subject.shape}"))
    subject.shape match {
      case ValueShape.FixedWidth(_) | ValueShape.VariableWidth(_) =>
        val codec = subject.smallest.map(_.codec).orElse(subject.hints.general)
        codec.fold(inner)(General.compressor(_, inner))
      case ValueShape.FixedSizeList(_, _) | ValueShape.Struct(_) => inner
    }
  }

  private def asTheyAre: Rule = subject =>
    Option.when(subject.hints.asTheyAre)(subject.shape).collect {
      case ValueShape.FixedWidth(bits) => Flat.compressor(bits, subject.flatChunkBytes)
      case ValueShape.VariableWidth(offsetBits) => Variable.compressor(offsetBits, subject.chunkBytes)
    }

  private def smallest: Rule = subject =>
    for (_ <- subject.wordBits; choice <- subject.smallest)
      yield _ => choice.inner.compress(subject.continued)

  /** Splits bytes only if another compression follows. */
  private def splitBytes: Rule = subject =>
    subject.wordBits
      .filter(bits => bits >= 32 && subject.hints.general.isDefined)
      .filter(_ => ByteStreamSplit.isWanted(subject.values, subject.hints.byteStreamSplit))
      .map(ByteStreamSplit.compressor(_))

  private def runLength: Rule = subject =>
    subject.wordBits
      .filter(bits =>
        subject.hints.rleThreshold.forall(Rle.runs(subject.continued, bits) < _ * subject.values.length)
      )
      .filter(_ => subject.runsSize < subject.flatSize && subject.runsSize <= subject.packedSize)
      .map(bits => _ => compressedRuns(subject, bits).compress(subject.continued))

  /** Runs, whose values are compressed if that is worth it. */
  private def compressedRuns(subject: Subject, bits: Int): MiniBlockCompressor = {
    val runs = Rle.compressor(bits)
    val each = subject.runsSize.toDouble / math.max(1, subject.values.length)
    val share = each / (bits / 8 + 1)
    val forms = CompressedChunks.Forms(Form.Lz4, Form.Zstd, form => share * DecodeCost.nanos(form, bits))
    Option
      .when(subject.hints.compression.isEmpty)(
        CompressedChunks.trials(subject.continued, runs, Rle.MaxChunkValues, forms)
      )
      .flatMap(CompressedChunks.cheapest(_, DecodeCost(each, 0), bits / 8.0))
      .fold(runs)(trial => General.compressor(trial.codec, runs))
  }

  /** Words whose bytes are split and compressed, where neighbours are alike: dates of shipping, sorted keys.
    */
  private def splitWords: Rule = subject =>
    for {
      bits <- subject.wordBits
      if bits >= 32 && subject.hints.compression.isEmpty &&
        subject.hints.byteStreamSplit != ByteStreamSplitMode.Off
      forms = CompressedChunks.Forms(Form.SplitLz4, Form.SplitZstd, DecodeCost.nanos(_, bits))
      split = ByteStreamSplit.compressor(bits, SplitChunkBytes)
      trials = CompressedChunks.trials(subject.continued, split, SplitChunkBytes / (bits / 8), forms)
      trial <- CompressedChunks.cheapest(trials, subject.packedCost(bits), bits / 8.0)
      other <- bitpacking(subject).orElse(flat(subject))
    } yield {
      val size = math.min(subject.packedSize, subject.flatSize)
      val compressor = CompressedChunks.compressor(trial.codec, split, other, size)
      _ => compressor.compress(subject.continued)
    }

  private def bitpacking: Rule = subject =>
    subject.wordBits.filter(_ => subject.packedSize < subject.flatSize).map(InlineBitpacking.compressor)

  private def wide: Rule = subject =>
    for (bits <- subject.wideBits; trial <- subject.wide)
      yield General.compressor(trial.codec, Flat.compressor(bits, subject.wideChunkBytes))

  private def flat: Rule = subject =>
    subject.shape match {
      case ValueShape.FixedWidth(bits) => Some(Flat.compressor(bits, subject.flatChunkBytes))
      case ValueShape.VariableWidth(_) | ValueShape.FixedSizeList(_, _) | ValueShape.Struct(_) => None
    }

  /** FSST or a codec, unless a hint asks for something else. */
  private def texts: Rule = subject =>
    (subject.shape, subject.values) match {
      case (ValueShape.VariableWidth(offsetBits), strings: VariableBlock)
          if subject.hints.compression.forall(_ == EncodingHints.Fsst) =>
        TextStrategy(subject, strings, offsetBits)
      case _ => None
    }

  private def variable: Rule = subject =>
    subject.shape match {
      case ValueShape.VariableWidth(offsetBits) => Some(Variable.compressor(offsetBits, subject.chunkBytes))
      case ValueShape.FixedWidth(_) | ValueShape.FixedSizeList(_, _) | ValueShape.Struct(_) => None
    }

  private def fixedSizeList: Rule = _.shape match {
    case list: ValueShape.FixedSizeList => Some(FixedSizeListValues.compressor(list))
    case ValueShape.FixedWidth(_) | ValueShape.VariableWidth(_) | ValueShape.Struct(_) => None
  }

  /** Chooses the compression of strings in full-zip pages: zstd, because pylance cannot read nulls beside LZ4
    * there.
    */
  def perValue(subject: Subject, strings: VariableBlock, offsetBits: Int): PerValueCompressor = {
    val plain = Variable.perValueCompressor(offsetBits)
    val size = strings.byteLength + (strings.length + 1L) * (offsetBits / 8)
    val general = subject.hints.general
      .map(codec => if (codec.scheme.isCompressionAlgorithmZstd) codec else DefaultCodec)
      .orElse(Option.when(subject.hints.compression.isEmpty && subject.longest > LongString)(DefaultCodec))
      .filter(_ => size >= LongString)
    general match {
      case Some(codec) => General.perValueCompressor(codec, plain)
      case None if subject.hints.asTheyAre || subject.hints.general.isDefined => plain
      case None =>
        FsstEncoder.of(strings, subject.longest, offsetBits).fold(plain)(_.perValueCompressor(offsetBits))
    }
  }

  /** Longer strings are compressed one by one, as pylance does. */
  final private val LongString = 32768L
  private val DefaultCodec = BufferCompression(CompressionScheme.COMPRESSION_ALGORITHM_ZSTD)
}
