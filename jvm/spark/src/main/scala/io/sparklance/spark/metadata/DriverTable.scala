package io.sparklance.spark.metadata

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{LocalScan, Scan}
import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.Dataset
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.options.MetadataTableName
import io.sparklance.spark.session.TableLocation

/** A metadata table whose rows the driver makes, without a job. It computes only the columns that a query
  * selects.
  *
  * @tparam A
  *   the item that a row describes
  */
abstract private[spark] class DriverTable[A](val id: MetadataTableName) extends MetadataKind {
  protected def columns: TableColumns[A]
  protected def items(dataset: Dataset): Iterator[A]

  final def schema: StructType = columns.schema

  /** Returns the rows with all columns, for procedures that list them. */
  final def rows(dataset: Dataset): Iterator[Seq[Any]] = items(dataset).map(columns.values)

  /** Returns an item as a row, for procedures that change it. */
  final def row(item: A): Seq[Any] = columns.values(item)

  final def scan(
      location: TableLocation,
      dataset: Dataset,
      wanted: Vector[String],
      limit: Option[Int]
  ): Scan = {
    def chosen = limit.fold(items(dataset))(items(dataset).take)
    new MetadataScan(
      s"$name of $location, version ${dataset.version}",
      columns.chosen(wanted),
      () => chosen.map(columns.row(wanted)).toArray
    )
  }
}

/** Makes the rows when Spark first asks for them, during planning. */
final private class MetadataScan(
    override val description: String,
    override val readSchema: StructType,
    make: () => Array[InternalRow]
) extends LocalScan {
  private lazy val made = make()
  override def rows(): Array[InternalRow] = translating {
    made
  }
}
