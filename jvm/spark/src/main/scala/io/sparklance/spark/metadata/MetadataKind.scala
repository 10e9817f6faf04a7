package io.sparklance.spark.metadata

import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.Dataset
import io.sparklance.spark.options.MetadataTableName
import io.sparklance.spark.session.TableLocation

/** A metadata table, such as `t.versions`. */
private[spark] trait MetadataKind {
  def id: MetadataTableName

  final def name: String = id.name

  /** The metadata table's columns, with comments. */
  def schema: StructType

  /** Returns a scan.
    *
    * @param columns
    *   columns of the schema, in this order
    * @param limit
    *   number of wanted rows, if not all
    */
  def scan(location: TableLocation, dataset: Dataset, columns: Vector[String], limit: Option[Int]): Scan
}

private[spark] object MetadataKind {
  val all: Vector[MetadataKind] = MetadataTableName.all.map(of)

  def of(id: MetadataTableName): MetadataKind = id match {
    case MetadataTableName.Versions => VersionsTable
    case MetadataTableName.Transactions => TransactionsTable
    case MetadataTableName.Fragments => FragmentsTable
    case MetadataTableName.Files => FilesTable
    case MetadataTableName.ColumnsOnDisk => ColumnsOnDisk
    case MetadataTableName.Indices => IndicesTable
    case MetadataTableName.Tags => TagsTable
    case MetadataTableName.Branches => BranchesTable
  }

  def find(name: String): Option[MetadataKind] = MetadataTableName.find(name).map(of)
}
