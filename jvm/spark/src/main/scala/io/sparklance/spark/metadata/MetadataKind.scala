package io.sparklance.spark.metadata

import java.util.Locale

import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.Dataset
import io.sparklance.spark.session.TableLocation

/** One of the tables that tell of a table: `t.versions`. */
private[spark] trait MetadataKind {
  def name: String

  /** Its columns, with what they mean as comments. */
  def schema: StructType

  /** @param columns of the schema, in this order
    * @param limit how many rows are wanted, if not all
    */
  def scan(location: TableLocation, dataset: Dataset, columns: Vector[String], limit: Option[Int]): Scan
}

private[spark] object MetadataKind {
  val all: Vector[MetadataKind] =
    Vector(
      VersionsTable,
      TransactionsTable,
      FragmentsTable,
      FilesTable,
      ColumnsOnDisk,
      IndicesTable,
      TagsTable,
      BranchesTable
    )

  def find(name: String): Option[MetadataKind] = all.find(_.name == name.toLowerCase(Locale.ROOT))
}
