package io.sparklance.spark.table

import io.sparklance.dataset.Dataset
import io.sparklance.spark.options.CommitOptions
import io.sparklance.spark.session.TableLocation
import io.sparklance.spark.types.BlobHandling

/** A table that equals no other. */
final private[table] class ApartLanceTable(
    name: String,
    location: TableLocation,
    dataset: Dataset,
    properties: Map[String, String],
    blobs: Option[BlobHandling],
    epoch: Option[CommitOptions]
) extends WritableLanceTable(name, location, dataset, properties, blobs, epoch) {
  override def equals(other: Any): Boolean = this eq other.asInstanceOf[AnyRef]
  override def hashCode: Int = System.identityHashCode(this)
}
