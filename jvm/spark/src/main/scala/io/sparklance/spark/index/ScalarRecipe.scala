package io.sparklance.spark.index

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.index.build.{SegmentDetails, SegmentKind}

/** A kind of scalar index. */
abstract private[index] class ScalarRecipe(kind: SegmentKind) extends IndexRecipe {
  final def name: String = kind.name
  final def numbers: MetadataColumn = kind.numbers
  final def details(dataset: Dataset): SegmentDetails = kind.described(dataset.hasStableRowIds)
  final def segments(work: IndexWork): Vector[BuiltSegment] = Vector(build(work))

  /** Writes the files of a segment. */
  def build(work: IndexWork): BuiltSegment
}
