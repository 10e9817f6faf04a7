package io.sparklance.spark.read

import java.util.OptionalLong

import org.apache.spark.sql.connector.read.Statistics

import io.sparklance.data.RowRanges
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.scan.StoredWidth
import io.sparklance.spark.session.Session

/** Statistics for Spark's optimizer: row counts, exact unless rows are sampled, partly deleted or filtered,
  * and bytes on disk, times `spark.sql.sources.fileCompressionFactor`, as of Spark's own file sources.
  */
final private case class LanceStatistics(rows: Option[Long], bytes: Long) extends Statistics {
  override def sizeInBytes(): OptionalLong = OptionalLong.of(bytes)
  override def numRows(): OptionalLong = rows.fold(OptionalLong.empty)(OptionalLong.of)
}

private object LanceStatistics {

  /** The most that compression may lessen an estimate: a billion equal values take some bytes on disk, and
    * must not be broadcast.
    */
  final private val MostCompressed = 4.0

  def of(dataset: Dataset, batch: LanceBatch): LanceStatistics = {
    val spec = batch.spec
    val addresses = batch.addresses
    val live = dataset.knownRowCount.filter(_ => addresses == RowRanges.all)
    val all = spec.rows.slice.of(live.getOrElse(dataset.storedRows(addresses)))
    val rows = math.ceil(all * spec.rows.sample.fold(1.0)(_.share)).toLong
    val inMemory = 8.0 + spec.schema.fields.map(_.dataType.defaultSize.toDouble).sum
    val onDisk = StoredWidth.of(dataset, spec.projection).map(_ * Session.fileCompressionFactor)
    val rowBytes = onDisk.fold(inMemory)(math.max(_, inMemory / MostCompressed))
    LanceStatistics(
      Option.when((spec.filters.isEmpty || batch.found.exists(_.isExact)) && spec.rows.top.isEmpty)(rows),
      math.max(1L, (rows * rowBytes).toLong)
    )
  }
}
