package io.sparklance.spark.read

import java.util.OptionalLong

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.expressions.{Expressions, NamedReference}
import org.apache.spark.sql.connector.read.Statistics
import org.apache.spark.sql.connector.read.colstats.ColumnStatistics

import io.sparklance.data.RowRanges
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.scan.StoredWidth
import io.sparklance.schema.Field
import io.sparklance.spark.session.{Session, SqlNames}
import io.sparklance.spark.statistics.{FilterSelectivity, KnownColumn}
import io.sparklance.spark.types.{ReadTypeOptions, SchemaConverter}

/** Statistics for Spark's optimizer: row counts, exact unless rows are sampled, partly deleted or filtered,
  * bytes on disk, times `spark.sql.sources.fileCompressionFactor`, as of Spark's own file sources, and those
  * of columns that ANALYZE TABLE collected.
  */
final private case class LanceStatistics(rows: Option[Long], bytes: Long, columns: Map[String, KnownColumn])
    extends Statistics {
  override def sizeInBytes(): OptionalLong = OptionalLong.of(bytes)
  override def numRows(): OptionalLong = rows.fold(OptionalLong.empty)(OptionalLong.of)

  override def columnStats(): java.util.Map[NamedReference, ColumnStatistics] = columns.map {
    case (name, known) => Expressions.column(SqlNames.quoted(name)) -> (known: ColumnStatistics)
  }.asJava
}

private object LanceStatistics {

  /** Statistics of a stream. */
  val unknown: Statistics = new Statistics {
    override def sizeInBytes(): OptionalLong = OptionalLong.empty
    override def numRows(): OptionalLong = OptionalLong.empty
  }

  /** The most that compression may lessen an estimate: a billion equal values take some bytes on disk, and
    * must not be broadcast. With 4, joins with TPC-DS's customer_demographics took 1.3 times the CPU time.
    */
  final private val MostCompressed = 16.0

  def of(dataset: Dataset, batch: LanceBatch): LanceStatistics = {
    val spec = batch.spec
    val addresses = batch.addresses
    val live = dataset.knownRowCount.filter(_ => addresses == RowRanges.all)
    val all = spec.rows.slice.of(live.getOrElse(dataset.storedRows(addresses)))
    val rows = math.ceil(all * spec.rows.sample.fold(1.0)(_.share) * passing(dataset, batch)).toLong
    val held = inMemory(spec.projection, spec.readTypes)
    val onDisk = StoredWidth.of(dataset, spec.projection).map(_ * Session.fileCompressionFactor)
    val rowBytes = onDisk.fold(held)(math.max(_, held * compression(dataset, spec.readTypes)))
    val isExact = (spec.filters.isEmpty || batch.isExact) && spec.rows.top.isEmpty
    LanceStatistics(
      Option.when(isExact || Session.estimatesFilters)(rows),
      math.max(1L, (rows * rowBytes).toLong),
      known(dataset, spec.projection, spec)
    )
  }

  /** Returns the bytes on disk for each byte in memory, of all columns: at most 1. Spark takes such a share
    * of each column of its own sources. By its own bytes on disk, TPC-DS's catalog_sales was broadcast for
    * q72, which then took thirteen times Parquet's time.
    */
  private def compression(dataset: Dataset, readTypes: ReadTypeOptions): Double = {
    val fields = dataset.schema.fields
    val stored = if (fields.size > StoredWidth.MaxFields) None else StoredWidth.ofFiles(dataset)
    stored.fold(1 / MostCompressed) { bytes =>
      math.max(
        1 / MostCompressed,
        math.min(1.0, bytes * Session.fileCompressionFactor / inMemory(fields, readTypes))
      )
    }
  }

  /** Bytes of a row as Spark estimates them. */
  def inMemory(fields: Vector[Field], readTypes: ReadTypeOptions): Double =
    8.0 + fields.map(SchemaConverter.toSpark(_, readTypes).dataType.defaultSize.toDouble).sum

  private def known(dataset: Dataset, fields: Vector[Field], spec: ScanSpec): Map[String, KnownColumn] =
    KnownColumn.of(dataset, fields, SchemaConverter.toSpark(_, spec.readTypes).dataType)

  /** Estimates the share of rows that pass the filters, as Spark does of its own: by statistics, and only if
    * the session asks for such estimates. Rows that indices found have passed.
    */
  private def passing(dataset: Dataset, batch: LanceBatch): Double = {
    val filters = batch.spec.filters.pushed
    if (filters.isEmpty || batch.found.isDefined || !Session.estimatesFilters) 1.0
    else {
      val tested = filters.flatMap(_.references).map(_.fieldNames.head).toSet
      val fields = dataset.schema.fields.filter(field => tested(field.name))
      val selectivity = new FilterSelectivity(known(dataset, fields, batch.spec))
      filters.map(selectivity.of).product
    }
  }
}
