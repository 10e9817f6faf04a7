package io.sparklance.spark.changes

import java.time.Instant

import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.Dataset
import io.sparklance.spark.options.{RangeRead, ReadOptions}
import io.sparklance.spark.session.TableLocation

/** A table and the range of versions whose changes are read.
  *
  * @param dataset
  *   the version with whose columns they are shown
  * @param schema
  *   columns of the feed
  */
final private[changes] case class ChangesSource(
    dataset: Dataset,
    location: TableLocation,
    read: ReadOptions,
    range: RangeRead,
    schema: StructType
) {

  /** The location for tasks. Blobs may be on any store, so tasks that read them need the full configuration.
    */
  def place: TableLocation = location.copy(tuning = read.tuning)

  private def identity: (TableLocation, (Long, Instant, Option[String]), RangeRead, StructType) =
    (location, dataset.identity, range, schema)
  override def equals(other: Any): Boolean = other match {
    case that: ChangesSource => identity == that.identity
    case _ => false
  }
  override def hashCode: Int = identity.hashCode
}
