package io.sparklance.spark.catalog

import java.util.{Map => JMap, Set => JSet}

import org.apache.spark.sql.catalyst.analysis.{NoSuchTableException, TableAlreadyExistsException}
import org.apache.spark.sql.connector.catalog.{
  Column,
  Identifier,
  StagedTable,
  StagingTableCatalog,
  Table,
  TableChange,
  TableWritePrivilege
}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.spark.procedures.Procedures
import io.sparklance.spark.{ColumnSettings, StoreOptions, TableLocation}

/** The catalog `lance`, of tables by their path: ``lance.`/data/flights` ``. Creating and replacing are atomic. */
final class LanceCatalog extends StagingTableCatalog with Procedures.InCatalog {
  private var catalogName = "lance"
  private var ownOptions = StoreOptions.none

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = {
    catalogName = name
    ownOptions = StoreOptions.of(options)
  }
  override def name(): String = catalogName

  override def loadTable(ident: Identifier): Table = ident match {
    case MergeTarget(path, rows) =>
      TableVersions.merging(nameOf(Identifier.of(Array.empty, path)), at(path), rows)
    case _ => TableVersions.latest(nameOf(ident), locate(ident))
  }

  override def loadTable(ident: Identifier, writing: JSet[TableWritePrivilege]): Table =
    TableVersions.toWrite(loadTable(ident))

  override def loadTable(ident: Identifier, version: String): Table =
    TableVersions.named(nameOf(ident), locate(ident), version)

  override def loadTable(ident: Identifier, timestamp: Long): Table =
    TableVersions.asOf(nameOf(ident), locate(ident), timestamp)

  override def tableExists(ident: Identifier): Boolean = {
    val location = locate(ident)
    Dataset.exists(location.store, location.root)
  }

  override def createTable(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: JMap[String, String]
  ): Table = {
    stageCreate(ident, columns, partitions, properties).commitStagedChanges()
    loadTable(ident)
  }

  override def stageCreate(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: JMap[String, String]
  ): StagedTable = {
    val request = requested(ident, columns, partitions, properties)
    if (tableExists(ident)) throw new TableAlreadyExistsException(ident)
    new StagedLanceTable(nameOf(ident), locate(ident), request, None)
  }

  override def stageReplace(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: JMap[String, String]
  ): StagedTable = {
    if (!tableExists(ident)) throw new NoSuchTableException(ident)
    stageCreateOrReplace(ident, columns, partitions, properties)
  }

  override def stageCreateOrReplace(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: JMap[String, String]
  ): StagedTable = {
    val request = requested(ident, columns, partitions, properties)
    val location = locate(ident)
    val replaced =
      if (tableExists(ident)) Some(Dataset.open(location.store, location.root, None)) else None
    new StagedLanceTable(nameOf(ident), location, request, replaced)
  }

  override def alterTable(ident: Identifier, changes: TableChange*): Table = {
    AlterTable(locate(ident), changes)
    loadTable(ident)
  }

  override def listTables(namespace: Array[String]): Array[Identifier] = Array.empty

  override def dropTable(ident: Identifier): Boolean = throw new LanceUsageException(
    s"${nameOf(ident)} is a path and in no catalog, so there is nothing to drop but data. Delete the directory."
  )

  override def renameTable(from: Identifier, to: Identifier): Unit = throw new LanceUsageException(
    s"${nameOf(from)} is a path and in no catalog, so it cannot be renamed. Move the directory."
  )

  private def requested(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: JMap[String, String]
  ): TableRequest = {
    val request = TableRequest.of(columns, partitions, properties)
    request.location.foreach { other =>
      throw new LanceUsageException(
        s"${nameOf(ident)} says by its name where it lies, so LOCATION '$other' makes no sense. Leave it out."
      )
    }
    // What is said of columns, their own metadata keeps.
    val unkept = request.ownProperties.keys.filterNot(ColumnSettings.isSetting)
    if (unkept.nonEmpty)
      throw new LanceUsageException(
        s"${nameOf(ident)} is in no catalog that could keep table properties " +
          s"(${unkept.mkString(", ")}). Leave them out, or create the table by a name."
      )
    request
  }

  private def nameOf(ident: Identifier): String = s"$catalogName.`${ident.name}`"

  private def at(path: String): TableLocation =
    TableLocation.of(path, StoreOptions.duringWriteTo(path).over(ownOptions))

  private def locate(ident: Identifier): TableLocation =
    if (ident.namespace.isEmpty && ident.name.contains('/')) at(ident.name)
    else
      throw new LanceUsageException(
        s"'${(ident.namespace :+ ident.name).mkString(".")}' is no path, and the catalog '$catalogName' knows tables by " +
          s"their paths only: write $catalogName.`/directory/of/the/table`. Tables with names are in spark_catalog: " +
          "CREATE TABLE … USING lance."
      )
}
