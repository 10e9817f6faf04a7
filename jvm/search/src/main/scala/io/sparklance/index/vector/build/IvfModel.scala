package io.sparklance.index.vector.build

import io.sparklance.data.Halves
import io.sparklance.index.vector.Quantizer
import io.sparklance.index.vector.graph.GraphParams
import io.sparklance.vector.{Metric, VectorColumn, VectorItem}

/** The model of a segment: the centroids of its partitions, and the form of its vectors.
  *
  * @param centroids
  *   one after the other, in the precision of the column
  * @param quantizer
  *   form of the vectors
  * @param graph
  *   settings of graphs, if the kind has any
  */
final private[sparklance] case class IvfModel(
    kind: VectorIndexKind,
    metric: Metric,
    dimension: Int,
    centroids: Array[Float],
    quantizer: Quantizer,
    graph: GraphParams = GraphParams()
) {

  /** Bytes of an item of the column. */
  private[build] def itemBytes: Int = quantizer match {
    case Quantizer.Flat(field) => VectorColumn.of(field).fold(4)(_.item.bytes)
    case _: Quantizer.Product | _: Quantizer.Scalar | _: Quantizer.Rotated => 1
  }

  def partitions: Int = centroids.length / dimension

  /** Whether vectors are scaled to length 1 first. */
  def isNormalized: Boolean = metric == Metric.Cosine

  /** Whether differences from the centroid are encoded, instead of vectors. */
  private[build] def usesResiduals: Boolean = quantizer match {
    case _: Quantizer.Product => metric != Metric.Dot
    case _: Quantizer.Rotated => true
    case _: Quantizer.Flat | _: Quantizer.Scalar => false
  }
}

private[sparklance] object IvfModel {

  /** Returns a model with the parts of its codebook. */
  def withCodebook(model: IvfModel, column: VectorColumn, parts: Vector[Array[Float]]): IvfModel =
    model.quantizer match {
      case product: Quantizer.Product =>
        model.copy(quantizer = product.copy(codebook = rounded(parts.toArray.flatten, column.item)))
      case _: Quantizer.Flat | _: Quantizer.Scalar | _: Quantizer.Rotated => model
    }

  /** Rounds numbers to the precision of a column's items. */
  private[build] def rounded(numbers: Array[Float], item: VectorItem): Array[Float] = item match {
    case VectorItem.Float16 => numbers.map(x => Halves.number(Halves.bits(x.toDouble)).toFloat)
    case VectorItem.BFloat16 | VectorItem.Float32 | VectorItem.Float64 | VectorItem.Int8 | VectorItem.UInt8 =>
      numbers
  }
}
