package io.sparklance.spark.index

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.index.build.{IndexedColumn, SegmentDetails, StoredSegment}
import io.sparklance.index.vector.build._
import io.sparklance.index.vector.graph.GraphParams
import io.sparklance.spark.options.VectorCure
import io.sparklance.vector.{Metric, VectorColumn, VectorItem}

/** Builds vector indices.
  *
  * @param given
  *   models that are not trained
  * @param segmentRows
  *   rows of a segment, at most, unless a fragment has more
  */
final private[index] class VectorRecipe(
    settings: VectorSettings,
    known: GivenModels,
    segmentRows: Long,
    isTransposed: Boolean
) extends IndexRecipe {
  def name: String = settings.kind.name
  def details(dataset: Dataset): SegmentDetails = VectorDetails.of(settings)
  def numbers: MetadataColumn = MetadataColumn.RowId

  override def shown(described: Map[String, String]): Map[String, String] =
    described - "type" ++ settings.partitions.map("num_partitions" -> _.toString)

  def fits(column: IndexedColumn): Boolean =
    column.path.size == 1 && vectors(column).exists { vectors =>
      (!vectors.isMulti || settings.metric == Metric.Cosine) && VectorRecipe.items.contains(vectors.item) &&
      vectors.item.metrics.contains(settings.metric)
    }

  def takes: String = settings.metric match {
    case Metric.Hamming => "fixed-size lists of uint8 that are no fields of structs"
    case Metric.L2 | Metric.Dot =>
      s"fixed-size lists of floats (metric ${settings.metric.name}), or lists of such (metric cosine), that are no fields " +
        "of structs"
    case Metric.Cosine =>
      "fixed-size lists of floats, or lists of such (metric cosine), that are no fields of structs"
  }

  override def cure(column: IndexedColumn): String =
    VectorCure.of(column.field).filter(_ => column.path.size == 1).getOrElse(super.cure(column))

  def segments(work: IndexWork): Vector[BuiltSegment] = {
    val column =
      vectors(work.column).getOrElse(throw new IllegalStateException(s"no vectors in ${work.column.name}"))
    checkParts(column)
    new VectorJobs(work, column, settings, segmentRows, isTransposed).build(known)
  }

  private def vectors(column: IndexedColumn): Option[VectorColumn] = VectorColumn.of(column.field)

  private def checkParts(column: VectorColumn): Unit = settings.kind.form match {
    case VectorForm.Parts =>
      if (column.dimension % settings.parts != 0)
        throw new LanceUsageException(
          s"The vectors of column '${column.field.name}' have ${column.dimension} items, which ${settings.parts} parts do not " +
            "divide. Choose another num_sub_vectors."
        )
    case VectorForm.Signs =>
      if (column.dimension % 8 != 0)
        throw new LanceUsageException(
          s"The vectors of column '${column.field.name}' have ${column.dimension} items, but an index of type IVF_RQ takes " +
            "multiples of 8. Choose another type of index."
        )
    case VectorForm.Whole | VectorForm.Bytes =>
  }
}

/** Models that the user gives, or an existing segment.
  *
  * @param whole
  *   a model of all
  * @param centroids
  *   of the partitions, one after the other
  * @param codebook
  *   entries of the first part, then of the second, and so on
  */
final private[index] case class GivenModels(
    whole: Option[IvfModel] = None,
    centroids: Option[Array[Float]] = None,
    codebook: Option[Array[Float]] = None
)

private[index] object VectorRecipe {
  private val items: Set[VectorItem] =
    Set(VectorItem.Float16, VectorItem.Float32, VectorItem.Float64, VectorItem.UInt8)

  /** Rows of a segment unless a number is known. Each search looks at partitions of every segment. */
  final private val SegmentRows = 1L << 23
  final private val MostRows = 1L << 31
  final private val MostPartitions = 1L << 16
  final private val MostParts = 1L << 12
  final private val MostRounds = 10000L
  final private val MostEdges = 1024L
  final private val MostLevels = 64L

  def of(kind: VectorIndexKind, settings: IndexSettings): VectorRecipe = {
    val ofAll = Vector(
      "metric",
      "num_partitions",
      "target_partition_size",
      "sample_rate",
      "max_iters",
      "segment_rows",
      "ivf_centroids"
    )
    val ofProduct = Vector("num_sub_vectors", "num_bits", "pq_codebook", "skip_transpose")
    val ofForm = kind.form match {
      case VectorForm.Parts => ofProduct
      case VectorForm.Bytes | VectorForm.Signs => Vector("num_bits")
      case VectorForm.Whole => Vector.empty
    }
    val ofGraph = if (kind.hasGraph) Vector("m", "ef_construction", "max_level") else Vector.empty
    settings.only(ofAll ++ ofForm ++ ofGraph: _*)
    val chosen = VectorSettings(
      kind,
      metric(kind, settings),
      settings.number("num_partitions", 1, MostPartitions).map(_.toInt),
      settings.number("target_partition_size", 1, MostRows),
      parts(kind, settings),
      bits(kind, settings),
      settings.number("sample_rate", 1, MostRounds).fold(VectorSettings.SampleRate)(_.toInt),
      settings.number("max_iters", 1, MostRounds).fold(VectorSettings.MaxIterations)(_.toInt),
      graph(settings)
    )
    val known = GivenModels(None, settings.numbers("ivf_centroids"), settings.numbers("pq_codebook"))
    val rows = settings.number("segment_rows", 1, MostRows).getOrElse(SegmentRows)
    new VectorRecipe(chosen, known, rows, !settings.flag("skip_transpose"))
  }

  /** Returns the recipe for further segments of an existing index, with the model of its newest one. */
  def stored(
      dataset: Dataset,
      column: IndexedColumn,
      segments: Vector[StoredSegment],
      retrains: Boolean
  ): Option[VectorRecipe] = for {
    vectors <- VectorColumn.of(column.field)
    index <- StoredVectorIndex.of(dataset, vectors, segments)
  } yield new VectorRecipe(
    index.settings,
    GivenModels(index.model.filterNot(_ => retrains)),
    MostRows,
    isTransposed = true
  )

  private def metric(kind: VectorIndexKind, settings: IndexSettings): Metric = {
    val text = settings.text("metric").getOrElse(Metric.L2.name)
    val found = Metric.parse(text).getOrElse(
      throw new LanceUsageException(
        s"There is no metric '$text'. Choose one of ${Metric.all.map(_.name).mkString(", ")}."
      )
    )
    if (found == Metric.Hamming && (kind.form != VectorForm.Whole || kind.hasGraph))
      throw new LanceUsageException(
        s"An index of type ${kind.name} cannot compare bits (metric hamming). Build an index of type IVF_FLAT."
      )
    found
  }

  private def graph(settings: IndexSettings): GraphParams = {
    val default = GraphParams()
    def number(key: String, least: Long, most: Long, default: Int) =
      settings.number(key, least, most).fold(default)(_.toInt)
    val m = number("m", 4, MostEdges, default.m)
    val beam = number("ef_construction", 1, MostRounds, default.beam)
    if (beam < m)
      throw new LanceUsageException(
        s"A graph with $m edges of a node (m) needs at least as many candidates, not $beam (ef_construction). Give a " +
          "greater ef_construction, or a smaller m."
      )
    GraphParams(m, beam, number("max_level", 1, MostLevels, default.maxLevel))
  }

  private def parts(kind: VectorIndexKind, settings: IndexSettings): Int = kind.form match {
    case VectorForm.Parts => settings.number("num_sub_vectors", 1, MostParts).getOrElse(
        throw new LanceUsageException(
          s"An index of type ${kind.name} needs the setting num_sub_vectors, the number of parts of a vector. Give one that " +
            "divides the vectors' dimension, such as a sixteenth of it."
        )
      ).toInt
    case VectorForm.Whole | VectorForm.Bytes | VectorForm.Signs => 0
  }

  private def bits(kind: VectorIndexKind, settings: IndexSettings): Int = {
    // The reference's default for rotated vectors is 5, which is not built.
    val default = if (kind.form == VectorForm.Signs) 5 else VectorSettings.Bits
    val bits = settings.number("num_bits", 1, 16).fold(default)(_.toInt)
    val known = kind.form match {
      case VectorForm.Parts => Vector(4, 8)
      case VectorForm.Signs => Vector(1)
      case VectorForm.Whole | VectorForm.Bytes => Vector(8)
    }
    if (!known.contains(bits))
      throw new LanceUsageException(
        s"An index of type ${kind.name} cannot have codes of $bits bits. Set num_bits to ${known.mkString(" or ")}."
      )
    if (bits == 4 && settings.number("num_sub_vectors", 1, MostParts).exists(_ % 2 != 0))
      throw new LanceUsageException(
        "Codes of 4 bits are stored in pairs, so num_sub_vectors must be even. Choose another num_sub_vectors."
      )
    bits
  }
}
