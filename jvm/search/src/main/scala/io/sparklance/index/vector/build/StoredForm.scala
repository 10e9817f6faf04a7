package io.sparklance.index.vector.build

import io.sparklance.index.vector.{Quantizer, Rotation}
import io.sparklance.vector.VectorColumn

/** Puts the models of an index together.
  *
  * @param isTransposed
  *   whether the codes of a partition are stored byte by byte, instead of row by row
  */
final private[sparklance] class StoredForm(
    settings: VectorSettings,
    column: VectorColumn,
    isTransposed: Boolean
) {

  /** Returns the model of an index without a codebook. */
  def model(trained: TrainedPartitions): IvfModel = {
    val quantizer = settings.kind.form match {
      case VectorForm.Whole => Quantizer.Flat(column.single.field)
      case VectorForm.Bytes => Quantizer.Scalar(trained.least, trained.most)
      case VectorForm.Signs =>
        Quantizer.Rotated(settings.bits - 1, Rotation.random(column.dimension), isPacked = false)
      case VectorForm.Parts =>
        Quantizer.Product(settings.parts, settings.bits, Array.emptyFloatArray, isTransposed)
    }
    IvfModel(settings.kind, settings.metric, column.dimension, trained.centroids, quantizer, settings.graph)
  }
}
