package io.sparklance.spark.catalog

import java.util.{Map => JMap, Set => JSet}

import org.apache.spark.sql.catalyst.analysis.NoSuchTableException
import org.apache.spark.sql.connector.catalog.TableChange.SetProperty
import org.apache.spark.sql.connector.catalog.{
  Column,
  Identifier,
  StagedTable,
  StagingTableCatalog,
  Table,
  TableCatalog,
  TableChange,
  TableWritePrivilege
}
import org.apache.spark.sql.connector.expressions.Transform

import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.history.Making

/** The behaviour that both catalogs share: how they load a table for a write, replace a table, and commit a
  * staged one.
  */
private[spark] trait StagedCreation extends StagingTableCatalog {

  override def loadTable(ident: Identifier, writing: JSet[TableWritePrivilege]): Table = translating {
    OpenedVersions.toWrite(loadTable(ident))
  }

  override def stageReplace(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: JMap[String, String]
  ): StagedTable = translating {
    if (!tableExists(ident)) throw new NoSuchTableException(ident)
    else stage(Making.Replace, ident, columns, partitions, properties)
  }

  override def stageCreateOrReplace(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: JMap[String, String]
  ): StagedTable = translating {
    stage(Making.CreateOrReplace, ident, columns, partitions, properties)
  }

  /** Stages a table that takes the place of an existing one, if there is one. */
  protected def stage(
      making: Making,
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: JMap[String, String]
  ): StagedTable

  /** Commits a staged table, or undoes all of it. */
  protected def commit(staged: StagedTable): Unit =
    try staged.commitStagedChanges()
    catch {
      case e: Throwable =>
        staged.abortStagedChanges()
        throw e
    }

  /** Returns the locations that `SET LOCATION` asks for. */
  protected def newLocations(changes: Seq[TableChange]): Seq[String] = changes.collect {
    case set: SetProperty if set.property == TableCatalog.PROP_LOCATION => set.value
  }
}
