package io.sparklance.spark.catalog

import java.time.Instant
import java.time.temporal.ChronoUnit

import scala.util.Try

import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.schemachange.SchemaChangeOperation
import io.sparklance.dataset.{Dataset, Reference, TableRefs}
import io.sparklance.spark.schemachange.MergedSchema
import io.sparklance.spark.session.{CachedTables, TableLocation}
import io.sparklance.spark.table.{EvolvingLanceTable, LanceTable, MergingLanceTable, WritableLanceTable}

/** Opens the version of a table that SQL names: latest, `VERSION AS OF` or `TIMESTAMP AS OF`. Only the latest
  * is writable.
  */
private[spark] object OpenedVersions {

  /** Returns the table for writing. */
  def toWrite(table: Table): Table = table match {
    case writable: WritableLanceTable => writable.toWrite
    case other => other
  }

  def latest(
      name: String,
      location: TableLocation,
      properties: Map[String, String] = Map.empty
  ): LanceTable = {
    val dataset = Dataset.open(location.store, location.root, None)
    CachedTables.opened(location, name)
    if (evolves) EvolvingLanceTable.of(name, location, dataset, properties)
    else new WritableLanceTable(name, location, dataset, properties)
  }

  /** Whether Spark asks a table which changes of its schema a write may make: from 4.2 on. */
  private lazy val evolves: Boolean =
    Try(Class.forName("org.apache.spark.sql.connector.catalog.SupportsSchemaEvolution")).isSuccess

  /** Returns the table with the new columns of the rows to append. */
  def merging(name: String, location: TableLocation, rows: StructType): LanceTable = {
    val dataset = Dataset.open(location.store, location.root)
    val merged = dataset.numbered(MergedSchema.of(dataset.schema, rows, dataset.fileVersion))
    SchemaChangeOperation.refuseUnwritable(dataset, merged)
    if (merged == dataset.schema) new WritableLanceTable(name, location, dataset).toWrite
    else new MergingLanceTable(name, location, dataset, merged)
  }

  /** @param version a number, or a tag or a branch */
  def named(name: String, location: TableLocation, version: String): LanceTable =
    at(name, location, Reference.parse(version))

  /** Opens the latest version at that time. */
  def asOf(name: String, location: TableLocation, micros: Long): LanceTable = at(name, location, asOf(micros))

  def asOf(micros: Long): Reference =
    Reference(point = Reference.AsOf(Instant.EPOCH.plus(micros, ChronoUnit.MICROS)))

  /** @param properties the catalog's properties of the table */
  def of(
      name: String,
      location: TableLocation,
      reference: Reference,
      properties: Map[String, String] = Map.empty
  ): LanceTable =
    if (reference == Reference.latest) latest(name, location, properties)
    else at(name, location, reference)

  private def at(name: String, location: TableLocation, reference: Reference): LanceTable = {
    val dataset = TableRefs.open(location.store, location.root, reference)
    new LanceTable(name, location.at(dataset), dataset)
  }
}
