package io.sparklance.encoding

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.data.{DataBlock, FileVersion, ValueShape}
import io.sparklance.encoding.physical.Flat
import io.sparklance.schema.Field

/** The writer's choice of compressions: rules that are asked in turn until one has an answer. */
object CompressionStrategy {

  /** What a choice depends on. Null slots of `values` hold zeroes.
    *
    * @param field its metadata may ask for a compression
    */
  final case class Subject(values: DataBlock, shape: ValueShape, field: Field, version: FileVersion)

  type Rule = Subject => Option[MiniBlockCompressor]

  /** For the values of mini-block pages; the last rules are those that always apply. */
  val rules: Vector[Rule] = Vector(flat)

  def miniBlock(subject: Subject): MiniBlockCompressor =
    rules.iterator.flatMap(_(subject)).nextOption().getOrElse {
      throw new UnsupportedLanceFeatureException(s"writing values of ${subject.shape}")
    }

  private def flat: Rule = _.shape match {
    case ValueShape.FixedWidth(bits) => Some(Flat.compressor(bits))
    case ValueShape.VariableWidth(_) | ValueShape.FixedSizeList(_, _) => None
  }
}
