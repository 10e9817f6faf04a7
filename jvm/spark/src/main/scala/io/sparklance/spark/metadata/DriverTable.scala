package io.sparklance.spark.metadata

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{LocalScan, Scan}
import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.Dataset
import io.sparklance.spark.options.MetadataTableName
import io.sparklance.spark.session.TableLocation

/** A metadata table of which the driver makes all rows, without a job.
  *
  * @tparam A what a row is made of; columns that nobody wants are not
  */
abstract private[metadata] class DriverTable[A](val id: MetadataTableName) extends MetadataKind {
  protected def columns: TableColumns[A]
  protected def items(dataset: Dataset): Iterator[A]

  final def schema: StructType = columns.schema

  final def scan(
      location: TableLocation,
      dataset: Dataset,
      wanted: Vector[String],
      limit: Option[Int]
  ): Scan = {
    def chosen = limit.fold(items(dataset))(items(dataset).take)
    new DriverScan(
      s"$name of $location, version ${dataset.version}",
      columns.chosen(wanted),
      () => chosen.map(columns.row(wanted)).toArray
    )
  }
}

/** Makes its rows when Spark plans the query. */
final private class DriverScan(
    override val description: String,
    override val readSchema: StructType,
    make: () => Array[InternalRow]
) extends LocalScan {
  private lazy val made = make()
  override def rows(): Array[InternalRow] = made
}
