package io.sparklance.index.vector.build

import io.sparklance.ProtoBytes
import io.sparklance.index.build.SegmentDetails
import io.sparklance.proto.index.VectorIndexDetails.Compression
import io.sparklance.proto.index._
import io.sparklance.vector.Metric

/** The details of vector indices in the manifest. */
private[sparklance] object VectorDetails {
  final private val TypeUrl = "/lance.index.pb.VectorIndexDetails"

  /** Version of the layout of the files. */
  final private val Version = 1
  private val MaxIterations = "max_iters"
  private val SampleRate = "sample_rate"

  def of(settings: VectorSettings): SegmentDetails = {
    val message = VectorIndexDetails(
      metricType = metric(settings.metric),
      targetPartitionSize = settings.targetRows.getOrElse(0L),
      compression = settings.kind match {
        case VectorIndexKind.IvfFlat => Compression.Flat(FlatCompression())
        case VectorIndexKind.IvfPq => Compression.Pq(ProductQuantization(settings.bits, settings.parts))
        case VectorIndexKind.IvfSq => Compression.Sq(ScalarQuantization(8))
      },
      runtimeHints = Map(
        s"lance.ivf.$MaxIterations" -> settings.maxIterations.toString,
        s"lance.ivf.$SampleRate" -> settings.sampleRate.toString
      )
    )
    SegmentDetails(TypeUrl, message.toByteString, Version)
  }

  /** Returns the settings of an index; None if they are not recorded, or of a kind that cannot be built. */
  def settings(details: Array[Byte]): Option[VectorSettings] = {
    val message = ProtoBytes.parse(VectorIndexDetails, details, "the details of a vector index")
    def hint(name: String, default: Int) = message.runtimeHints.get(s"lance.ivf.$name").flatMap(_.toIntOption)
      .filter(_ > 0).getOrElse(default)
    val kind = message.compression match {
      case Compression.Pq(_) => Some(VectorIndexKind.IvfPq)
      case Compression.Sq(_) => Some(VectorIndexKind.IvfSq)
      case Compression.Flat(_) => Some(VectorIndexKind.IvfFlat)
      case Compression.Rq(_) | Compression.Empty => None
    }
    for {
      kind <- kind if message.hnswIndexConfig.isEmpty
      metric <- metric(message.metricType)
      pq = message.compression.pq
    } yield VectorSettings(
      kind,
      metric,
      None,
      Option.when(message.targetPartitionSize > 0)(message.targetPartitionSize),
      pq.fold(0)(_.numSubVectors),
      pq.fold(VectorSettings.Bits)(_.numBits),
      hint(SampleRate, VectorSettings.SampleRate),
      hint(MaxIterations, VectorSettings.MaxIterations)
    )
  }

  /** Returns settings by the names that users give them, with the type of the index; none if they are not
    * recorded, or of another kind.
    */
  def shown(details: Array[Byte]): Map[String, String] =
    settings(details).fold(Map.empty[String, String]) { known =>
      val ofKind = known.kind match {
        case VectorIndexKind.IvfPq =>
          Map("num_sub_vectors" -> known.parts.toString, "num_bits" -> known.bits.toString)
        case VectorIndexKind.IvfSq => Map("num_bits" -> known.bits.toString)
        case VectorIndexKind.IvfFlat => Map.empty[String, String]
      }
      Map("type" -> known.kind.name, "metric" -> known.metric.name) ++ ofKind ++
        known.targetRows.map("target_partition_size" -> _.toString)
    }

  private def metric(metric: Metric): VectorMetricType = metric match {
    case Metric.L2 => VectorMetricType.L2
    case Metric.Cosine => VectorMetricType.COSINE
    case Metric.Dot => VectorMetricType.DOT
    case Metric.Hamming => VectorMetricType.HAMMING
  }

  private def metric(stored: VectorMetricType): Option[Metric] = stored match {
    case VectorMetricType.L2 => Some(Metric.L2)
    case VectorMetricType.COSINE => Some(Metric.Cosine)
    case VectorMetricType.DOT => Some(Metric.Dot)
    case VectorMetricType.HAMMING => Some(Metric.Hamming)
    case VectorMetricType.Unrecognized(_) => None
  }
}
