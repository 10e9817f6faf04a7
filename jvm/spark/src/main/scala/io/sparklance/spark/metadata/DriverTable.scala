package io.sparklance.spark.metadata

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{LocalScan, Scan}
import org.apache.spark.sql.types.{DataType, StructField, StructType}

import io.sparklance.dataset.Dataset
import io.sparklance.spark.TableLocation
import io.sparklance.spark.procedures.ResultRow

/** A metadata table of which the driver makes all rows, without a job.
  *
  * @tparam A what a row is made of; columns that nobody wants are not
  */
abstract private[metadata] class DriverTable[A](val name: String) extends MetadataKind {
  import DriverTable.Column

  protected def columns: Vector[Column[A]]
  protected def items(dataset: Dataset): Iterator[A]

  final lazy val schema: StructType = StructType(columns.map(_.field))

  final def scan(
      location: TableLocation,
      dataset: Dataset,
      wanted: Vector[String],
      limit: Option[Int]
  ): Scan = {
    val chosen = wanted.map(name => columns(schema.fieldIndex(name)))
    new DriverScan(
      s"$name of $location, version ${dataset.version}",
      StructType(chosen.map(_.field)),
      () =>
        limit.fold(items(dataset))(items(dataset).take).map(item => ResultRow(chosen.map(_.of(item)))).toArray
    )
  }
}

private[metadata] object DriverTable {

  /** @param of its value; an Option where there may be none */
  final case class Column[A](name: String, ddl: String, comment: String, of: A => Any) {
    def field: StructField = {
      val (kind, nullable) =
        if (ddl.endsWith(Required)) ddl.stripSuffix(Required) -> false else ddl -> true
      StructField(name, DataType.fromDDL(kind), nullable).withComment(comment)
    }
  }

  private val Required = " NOT NULL"
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
