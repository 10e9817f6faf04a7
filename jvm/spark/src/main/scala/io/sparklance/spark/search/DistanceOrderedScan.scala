package io.sparklance.spark.search

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.read.{
  Batch,
  InputPartition,
  PartitionReader,
  PartitionReaderFactory,
  Scan,
  Statistics,
  SupportsReportStatistics
}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.data.RowRanges
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.index.search.BrokenIndices
import io.sparklance.index.vector.VectorIndexSearch
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.options.{IndexSearchSettings, LanceOptions}
import io.sparklance.spark.read.{BeyondDriver, DriverReadable, ExpectedRows, LanceScan}
import io.sparklance.spark.session.Session
import io.sparklance.spark.table.LanceTable
import io.sparklance.vector.{Metric, NearestSpec, Neighbors}

/** A scan that leaves out rows that are not among the nearest to a query. Spark sorts the others by distances
  * that differ from ours in their last digits, and puts rows without a distance first. So more rows than are
  * wanted are searched for. If some row has no distance, or too many are at the same one, all rows are read.
  *
  * @param spec
  *   the search, with the number of rows
  * @param scan
  *   all rows
  */
final private[search] class DistanceOrderedScan(
    table: LanceTable,
    spec: NearestSpec,
    scan: LanceScan,
    options: CaseInsensitiveStringMap
) extends DriverReadable
    with Batch
    with SupportsReportStatistics {
  import table.dataset

  private val read = LanceOptions.forRead(options)
  private val broken = read.indices.getOrElse(BrokenIndices.Fail)
  private val k = spec.k
  private val wanted = k + k / 4 + 16
  private val place = table.location.at(dataset).copy(tuning = read.tuning)

  /** The index that answers, if approximate answers are allowed and all rows are searched. */
  private lazy val index: Option[VectorIndexSearch] =
    Option.when(read.approximatesOrder && isWhole)(())
      .flatMap(_ => VectorIndexSearch.of(dataset, spec.column, broken))
      .filter(found => found.metric.contains(spec.metric) && found.unread.isEmpty)

  private def isWhole: Boolean =
    scan.candidates == RowRanges.all && scan.pushed.filters.predicate == Predicate.Always

  private lazy val result: SearchOutcome = {
    val search = ResolvedSearch(
      spec.copy(k = wanted),
      isBatch = false,
      None,
      index.map(_ => IndexSearchSettings())
    )
    val rows = RowsToSearch(scan.candidates, scan.pushed.filters.predicate, SearchTest.Every)
    val job = SearchPlace.Job(read.split.getOrElse(Session.splitTarget), s"search $place: $how")
    new SearchRun(dataset, place, search, PassingRows.Known(rows, None), job, broken).result()
  }

  private lazy val chosen: LanceScan = {
    val found = result.answers.head
    if (index.isDefined || (result.isRanked && isApart(found))) scan.among(RowRanges.ofRows(found.addresses))
    else scan
  }

  /** Whether the wanted rows are nearer than all rows that were not found, beyond all errors of rounding. */
  private def isApart(found: Neighbors): Boolean = found.size < wanted || {
    val (last, beyond) = (found.distances(k - 1), found.distances(wanted - 1))
    val error = spec.metric match {
      case Metric.L2 | Metric.Hamming => math.abs(last)
      case Metric.Cosine | Metric.Dot => 1 + math.abs(last)
    }
    beyond - last > 1e-4f * error
  }

  private def how: String =
    s"nearest $k by ${spec.metric.name} of ${spec.column.field.name}, ${index.fold("exact")(i =>
        s"by ${i.describe}"
      )}"

  override def readSchema(): StructType = scan.readSchema()
  override def toBatch: Batch = this
  override def columnarSupportMode(): Scan.ColumnarSupportMode = scan.columnarSupportMode()
  override def planInputPartitions(): Array[InputPartition] =
    translating(chosen.toBatch.planInputPartitions())
  override def createReaderFactory(): PartitionReaderFactory = scan.toBatch.createReaderFactory()
  override def expected: Option[ExpectedRows] = translating(scan.expecting(wanted.toLong))
  override def driverReaders(most: Long): Iterator[PartitionReader[InternalRow]] =
    translating(if (chosen eq scan) throw BeyondDriver else chosen.driverReaders(most))
  override def estimateStatistics(): Statistics = scan.estimateStatistics()
  override def supportedCustomMetrics(): Array[CustomMetric] =
    SearchMetrics.all ++ scan.supportedCustomMetrics()
  override def reportDriverMetrics(): Array[CustomTaskMetric] = translating(SearchMetrics.of(result))
  override def description(): String = translating(s"${scan.description()}, $how")
  override def toString: String = s"DistanceOrderedScan($place, version ${dataset.version})"

  override def equals(other: Any): Boolean = other match {
    case that: DistanceOrderedScan => identity == that.identity
    case _ => false
  }
  override def hashCode: Int = identity.hashCode
  private def identity: (LanceScan, NearestSpec) = (scan, spec)
}
