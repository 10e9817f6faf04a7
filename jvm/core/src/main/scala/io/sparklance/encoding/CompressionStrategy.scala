package io.sparklance.encoding

import io.sparklance.data.{DataBlock, FileVersion, Fixed16Block, ValueShape}
import io.sparklance.encoding.physical.{
  FastLanes,
  FixedSizeListValues,
  Flat,
  InlineBitpacking,
  OutOfLineBitpacking,
  Rle,
  Variable
}
import io.sparklance.schema.Field

/** The writer's choice of compressions: rules that are asked in turn until one has an answer. */
object CompressionStrategy {

  /** What a choice depends on. Null slots of `values` hold zeroes.
    *
    * @param field its metadata may ask for a compression
    */
  final case class Subject(values: DataBlock, shape: ValueShape, field: Field, version: FileVersion) {

    /** How many bits the values have, if they are machine words. */
    def wordBits: Option[Int] = shape match {
      case ValueShape.FixedWidth(bits @ (8 | 16 | 32 | 64)) => Some(bits)
      case ValueShape.FixedWidth(_) | ValueShape.VariableWidth(_) | ValueShape.FixedSizeList(_, _) |
          ValueShape.Struct(_) =>
        None
    }

    /** Bytes when bit-packed, where that can be. */
    lazy val packedSize: Long = wordBits.fold(flatSize)(InlineBitpacking.packedSize(values, _))
    def flatSize: Long = values.sizeInBytes
  }

  type Rule = Subject => Option[MiniBlockCompressor]

  /** For the values of mini-block pages. Those that apply to some data come first, those for all data of a shape last. */
  val rules: Vector[Rule] = Vector(runLength, bitpacking, flat, variable, fixedSizeList)

  def miniBlock(subject: Subject): MiniBlockCompressor =
    rules.iterator
      .flatMap(_(subject))
      .nextOption()
      .getOrElse(throw new IllegalStateException(s"no rule for values of ${subject.shape}"))

  private def runLength: Rule = subject =>
    subject.wordBits
      .filter { bits =>
        val size = Rle.encodedSize(subject.values, bits)
        size < subject.flatSize && size <= subject.packedSize
      }
      .map(Rle.compressor)

  private def bitpacking: Rule = subject =>
    subject.wordBits.filter(_ => subject.packedSize < subject.flatSize).map(InlineBitpacking.compressor)

  private def flat: Rule = _.shape match {
    case ValueShape.FixedWidth(bits) => Some(Flat.compressor(bits))
    case ValueShape.VariableWidth(_) | ValueShape.FixedSizeList(_, _) | ValueShape.Struct(_) => None
  }

  private def variable: Rule = _.shape match {
    case ValueShape.VariableWidth(offsetBits) => Some(Variable.compressor(offsetBits))
    case ValueShape.FixedWidth(_) | ValueShape.FixedSizeList(_, _) | ValueShape.Struct(_) => None
  }

  private def fixedSizeList: Rule = _.shape match {
    case list: ValueShape.FixedSizeList => Some(FixedSizeListValues.compressor(list))
    case ValueShape.FixedWidth(_) | ValueShape.VariableWidth(_) | ValueShape.Struct(_) => None
  }

  /** For the levels of a page, of which `levels` are all: one choice, by which each chunk's are then compressed. */
  def levels(levels: Fixed16Block, version: FileVersion): BlockCompressor = {
    val width = FastLanes.widthOf(levels, 0, levels.length)
    val packed = levels.length.toLong * width / 8
    version match {
      case FileVersion.V2_2 if Rle.encodedSize(levels, 16) < packed => Rle.blockCompressor(16)
      case FileVersion.V0_1 | FileVersion.V2_0 | FileVersion.V2_1 | FileVersion.V2_2 =>
        OutOfLineBitpacking.compressor(16, width)
    }
  }
}
