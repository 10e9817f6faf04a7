package io.sparklance.index.vector.build

import io.sparklance.dataset.Dataset
import io.sparklance.index.build.StoredSegment
import io.sparklance.index.vector.graph.GraphParams
import io.sparklance.index.vector.{Quantizer, VectorIndexFiles, VectorSegment}
import io.sparklance.vector.VectorColumn

/** An existing vector index that can be built further.
  *
  * @param model
  *   the model of its newest segment; None if no segment has files
  */
final private[sparklance] case class StoredVectorIndex(settings: VectorSettings, model: Option[IvfModel])

private[sparklance] object StoredVectorIndex {

  def isVector(segment: StoredSegment): Boolean = segment.typeUrl.toLowerCase.endsWith("vectorindexdetails")

  /** Returns None for kinds that cannot be built. */
  def of(dataset: Dataset, column: VectorColumn, segments: Vector[StoredSegment]): Option[StoredVectorIndex] =
    if (!segments.forall(isVector)) None
    else {
      val newest = segments.filter(_.fragments.exists(_.last >= 0))
        .maxByOption(_.createdAt.fold(0L)(_.toEpochMilli))
      newest match {
        case None => segments.headOption.flatMap(s => VectorDetails.settings(s.details.toByteArray))
            .map(StoredVectorIndex(_, None))
        case Some(segment) => modelOf(dataset, column, segment).map { model =>
            val recorded = VectorDetails.settings(segment.details.toByteArray)
            StoredVectorIndex(settings(model, recorded), Some(model))
          }
      }
    }

  private def modelOf(dataset: Dataset, column: VectorColumn, segment: StoredSegment): Option[IvfModel] =
    VectorSegment.stored(dataset, segment.message).flatMap { stored =>
      val index = new VectorIndexFiles(dataset.store, stored, column).model
      val isKnown = index.quantizer match {
        case rotated: Quantizer.Rotated => rotated.extra == 0
        case _: Quantizer.Flat | _: Quantizer.Product | _: Quantizer.Scalar => true
      }
      VectorIndexKind.parse(index.kind).filter(_ => isKnown).map { kind =>
        val quantizer = index.quantizer match {
          case product: Quantizer.Product => product.copy(isTransposed = true)
          case rotated: Quantizer.Rotated => rotated.copy(isPacked = false)
          case other @ (_: Quantizer.Flat | _: Quantizer.Scalar) => other
        }
        val graph = index.graphs.flatMap(_.params).getOrElse(GraphParams())
        IvfModel(kind, index.metric, index.dimension, index.centroids, quantizer, graph)
      }
    }

  /** Settings that give such a model. */
  private def settings(model: IvfModel, recorded: Option[VectorSettings]): VectorSettings = {
    val (parts, bits) = model.quantizer match {
      case Quantizer.Product(parts, bits, _, _) => (parts, bits)
      case _: Quantizer.Flat | _: Quantizer.Scalar | _: Quantizer.Rotated =>
        (0, VectorSettings.bits(model.kind.form))
    }
    val own = VectorSettings(
      model.kind,
      model.metric,
      Some(model.partitions),
      None,
      parts,
      bits,
      graph = model.graph
    )
    recorded.fold(own) { other =>
      own.copy(
        partitions = own.partitions.filter(_ => other.targetRows.isEmpty),
        targetRows = other.targetRows,
        sampleRate = other.sampleRate,
        maxIterations = other.maxIterations
      )
    }
  }
}
