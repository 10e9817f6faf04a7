package io.sparklance.index.vector.build

import io.sparklance.ProtoBytes
import io.sparklance.index.build.SegmentDetails
import io.sparklance.index.vector.graph.GraphParams
import io.sparklance.proto.index.VectorIndexDetails.Compression
import io.sparklance.proto.index._
import io.sparklance.vector.Metric

/** The details of vector indices in the manifest. */
private[sparklance] object VectorDetails {
  final private val TypeUrl = "/lance.index.pb.VectorIndexDetails"

  private val MaxIterations = "max_iters"
  private val SampleRate = "sample_rate"

  def of(settings: VectorSettings): SegmentDetails = {
    val message = VectorIndexDetails(
      metricType = metric(settings.metric),
      targetPartitionSize = settings.targetRows.getOrElse(0L),
      hnswIndexConfig = Option.when(settings.kind.hasGraph)(
        HnswParameters(settings.graph.m, settings.graph.beam, settings.graph.maxLevel)
      ),
      compression = settings.kind.form match {
        case VectorForm.Whole => Compression.Flat(FlatCompression())
        case VectorForm.Parts => Compression.Pq(ProductQuantization(settings.bits, settings.parts))
        case VectorForm.Bytes => Compression.Sq(ScalarQuantization(8))
        case VectorForm.Signs => Compression.Rq(RabitQuantization(settings.bits))
      },
      runtimeHints = Map(
        s"lance.ivf.$MaxIterations" -> settings.maxIterations.toString,
        s"lance.ivf.$SampleRate" -> settings.sampleRate.toString
      )
    )
    SegmentDetails(TypeUrl, message.toByteString, versionOf(settings.kind.form))
  }

  /** Returns the settings of an index; None if they are not recorded, or of a kind that cannot be built. */
  def settings(details: Array[Byte]): Option[VectorSettings] = {
    val message = ProtoBytes.parse(VectorIndexDetails, details, "the details of a vector index")
    def hint(name: String, default: Int) = message.runtimeHints.get(s"lance.ivf.$name").flatMap(_.toIntOption)
      .filter(_ > 0).getOrElse(default)
    val form = message.compression match {
      case Compression.Pq(_) => Some(VectorForm.Parts)
      case Compression.Sq(_) => Some(VectorForm.Bytes)
      case Compression.Flat(_) => Some(VectorForm.Whole)
      case Compression.Rq(rotated) => Option.when(rotated.numBits == 1)(VectorForm.Signs)
      case Compression.Empty => None
    }
    for {
      form <- form
      kind <- VectorIndexKind.of(form, message.hnswIndexConfig.isDefined)
      metric <- metric(message.metricType)
      pq = message.compression.pq
    } yield VectorSettings(
      kind,
      metric,
      None,
      Option.when(message.targetPartitionSize > 0)(message.targetPartitionSize),
      pq.fold(0)(_.numSubVectors),
      pq.map(_.numBits).getOrElse(VectorSettings.bits(form)),
      hint(SampleRate, VectorSettings.SampleRate),
      hint(MaxIterations, VectorSettings.MaxIterations),
      message.hnswIndexConfig.fold(GraphParams())(g =>
        GraphParams(g.maxConnections, g.constructionEf, g.maxLevel)
      )
    )
  }

  /** Returns settings by the names that users give them, with the type of the index; none if they are not
    * recorded, or of another kind.
    */
  def shown(details: Array[Byte]): Map[String, String] =
    settings(details).fold(Map.empty[String, String]) { known =>
      val ofForm = known.kind.form match {
        case VectorForm.Parts =>
          Map("num_sub_vectors" -> known.parts.toString, "num_bits" -> known.bits.toString)
        case VectorForm.Bytes | VectorForm.Signs => Map("num_bits" -> known.bits.toString)
        case VectorForm.Whole => Map.empty[String, String]
      }
      val ofGraph =
        if (known.kind.hasGraph)
          Map(
            "m" -> known.graph.m.toString,
            "ef_construction" -> known.graph.beam.toString,
            "max_level" -> known.graph.maxLevel.toString
          )
        else Map.empty[String, String]
      Map("type" -> known.kind.name, "metric" -> known.metric.name) ++ ofForm ++ ofGraph ++
        known.targetRows.map("target_partition_size" -> _.toString)
    }

  /** Version of the layout of the files. */
  private def versionOf(form: VectorForm): Int = form match {
    case VectorForm.Signs => 2
    case VectorForm.Whole | VectorForm.Parts | VectorForm.Bytes => 1
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
