package io.sparklance.index.vector.build

import io.sparklance.index.vector.Quantizer
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
    val quantizer = settings.kind match {
      case VectorIndexKind.IvfFlat => Quantizer.Flat(column.field)
      case VectorIndexKind.IvfSq => Quantizer.Scalar(trained.least, trained.most)
      case VectorIndexKind.IvfPq =>
        Quantizer.Product(settings.parts, settings.bits, Array.emptyFloatArray, isTransposed)
    }
    IvfModel(settings.kind, settings.metric, column.dimension, trained.centroids, quantizer)
  }
}
