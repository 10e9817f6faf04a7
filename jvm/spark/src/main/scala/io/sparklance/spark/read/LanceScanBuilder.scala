package io.sparklance.spark.read

import org.apache.spark.sql.connector.read.{Scan, ScanBuilder, SupportsPushDownRequiredColumns}
import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.Dataset
import io.sparklance.schema.Field
import io.sparklance.spark.{SchemaConverter, TableLocation}

/** What a scan is to bring: all that is pushed down, as one value.
  *
  * @param projection top-level fields, in the order in which Spark wants them
  * @param batchRows rows of a batch, at most
  */
final case class ScanSpec(projection: Vector[Field], batchRows: Int) {
  def schema: StructType = StructType(projection.map(SchemaConverter.toSpark))
}

final class LanceScanBuilder(dataset: Dataset, location: TableLocation, all: ScanSpec)
    extends ScanBuilder
    with SupportsPushDownRequiredColumns {
  private var spec = all

  override def pruneColumns(required: StructType): Unit = {
    val byName = all.projection.map(f => f.name -> f).toMap
    spec = spec.copy(projection = required.fieldNames.toVector.map(byName))
  }

  override def build(): Scan = new LanceScan(dataset, location, spec)
}
