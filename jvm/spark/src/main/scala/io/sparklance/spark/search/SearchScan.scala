package io.sparklance.spark.search

import java.util.OptionalLong

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.read.{
  Batch,
  InputPartition,
  PartitionReader,
  PartitionReaderFactory,
  Scan,
  ScanBuilder,
  Statistics,
  SupportsPushDownRequiredColumns,
  SupportsReportStatistics
}
import org.apache.spark.sql.types.StructType

import io.sparklance.data.RowRanges
import io.sparklance.dataset.scan.{ScanPlan, Split, SplitTarget}
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.schema.Field
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.read.{DriverReadable, ExpectedRows, LanceReaderFactory, MissingFile, ScanSpec}
import io.sparklance.spark.types.SchemaConverter

/** Takes the columns that a query needs. Filters stay with Spark: they apply to the result of the search. */
final private[search] class SearchScanBuilder(source: SearchSource) extends ScanBuilder
    with SupportsPushDownRequiredColumns {
  private var required = source.schema

  override def pruneColumns(schema: StructType): Unit = required = schema

  override def build(): Scan = translating {
    val whole =
      ScanSpec(source.table.dataset.schema.fields, source.table.read.batchSize, source.table.read.readTypes)
    val stored =
      whole.pruned(StructType(required.filterNot(c => source.added.contains(c.name)))).projection
    SchemaConverter.refuseUnsupported(stored)
    new SearchScan(source, required, stored)
  }
}

/** The rows of a search's result. The search runs when Spark asks for the partitions, because only then the
  * rows to read are known.
  *
  * @param required
  *   columns of the result
  * @param stored
  *   those that the table has, in order
  */
final private[search] class SearchScan(source: SearchSource, required: StructType, stored: Vector[Field])
    extends DriverReadable
    with Batch
    with SupportsReportStatistics {
  import source.table.{dataset, location, read}
  import source.{added, search, table}

  private lazy val result: FoundRows = search.run(table)

  private lazy val partitions: Array[InputPartition] =
    Hits.of(result.answers, search.added.size, SearchScan.RowsOfPartition).map(hits =>
      SearchPartition(hits, rows(hits)): InputPartition
    )
      .toArray

  /** The rows of hits, if the table must be read for the required columns. */
  private def rows(hits: Hits): Option[Split] =
    Option.when(stored.exists(_ != MetadataColumn.RowAddr.field)) {
      val target = SplitTarget.Rows(math.max(1L, hits.size.toLong))
      val found = RowRanges.ofRows(hits.addresses)
      Split(ScanPlan.splits(dataset, SearchScan.identified(stored), target, found).flatMap(_.tasks))
    }

  override def readSchema(): StructType = StructType(required.map { column =>
    stored.find(_.name == column.name).filterNot(_ => added.contains(column.name))
      .fold(column)(SchemaConverter.toSpark(_, read.readTypes))
  })
  override def toBatch: Batch = this
  override def columnarSupportMode(): Scan.ColumnarSupportMode = Scan.ColumnarSupportMode.UNSUPPORTED

  override def planInputPartitions(): Array[InputPartition] = MissingFile.telling(location)(partitions)

  override def createReaderFactory(): PartitionReaderFactory = factory(Long.MaxValue)

  override def expected: Option[ExpectedRows] =
    Option.when(search.limit.isDefined)(mostRows).flatMap(ExpectedRows.of(dataset, stored, read.readTypes, _))

  override def driverReaders(most: Long): Iterator[PartitionReader[InternalRow]] =
    planInputPartitions().iterator.map(factory(most).createReader)

  /** @param most bytes of rows that a reader may hold */
  private def factory(most: Long): PartitionReaderFactory = translating {
    // Blobs may be on any store, so tasks that read them need the full configuration.
    val place = if (stored.flatMap(_.preOrder).exists(_.isBlob)) location else location.forTasks(dataset)
    val rows = LanceReaderFactory(
      place.copy(tuning = read.tuning),
      SearchScan.identified(stored),
      read.batchSize,
      read.readTypes
    )
    SearchReaderFactory(rows, required.map(column => value(column.name)).toVector, most)
  }

  private def value(name: String): HitValue =
    if (search.isBatch && name == ResultColumns.queryIndex.name) HitValue.QueryIndex
    else
      search.added.indexWhere(_.name == name) match {
        case -1 => HitValue.Stored(stored.indexWhere(_.name == name))
        case i => HitValue.Added(i)
      }

  /** The most rows of the result. */
  private def mostRows: Long = {
    val live = dataset.knownRowCount
    val ofQuery = search.limit.map(_.toLong).orElse(live).getOrElse(Long.MaxValue)
    live.fold(ofQuery)(math.min(ofQuery, _)) match {
      case Long.MaxValue => Long.MaxValue
      case rows => rows * search.queries
    }
  }

  override def estimateStatistics(): Statistics = translating {
    // Searches without a limit find a part of the rows: an estimate.
    val most = mostRows
    val bytes = 8L + required.fields.map(_.dataType.defaultSize.toLong).sum
    new Statistics {
      override def sizeInBytes(): OptionalLong =
        OptionalLong.of(if (most > Long.MaxValue / bytes) Long.MaxValue else math.max(1L, most * bytes))
      override def numRows(): OptionalLong = OptionalLong.of(most)
    }
  }

  override def supportedCustomMetrics(): Array[CustomMetric] = SearchMetrics.all
  override def reportDriverMetrics(): Array[CustomTaskMetric] = translating(result.metrics)

  override def description(): String =
    s"lance $location version ${dataset.version}, ${search.describe}, ${required.map(_.name).mkString("columns [", ", ", "]")}"
  override def toString: String = s"SearchScan($location, version ${dataset.version})"

  private def identity: (SearchSource, StructType) = (source, required)
  override def equals(other: Any): Boolean = other match {
    case that: SearchScan => identity == that.identity
    case _ => false
  }
  override def hashCode: Int = identity.hashCode
}

private[search] object SearchScan {

  /** Rows that a task keeps in memory to return them in order. */
  final private val RowsOfPartition = 4096

  /** Returns stored columns, followed by the row address. */
  private def identified(stored: Vector[Field]): Vector[Field] = stored :+ MetadataColumn.RowAddr.field
}
