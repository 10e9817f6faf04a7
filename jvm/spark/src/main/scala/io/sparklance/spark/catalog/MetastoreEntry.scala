package io.sparklance.spark.catalog

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.{Table, TableCatalog}

import io.sparklance.LanceTableNotFoundException
import io.sparklance.spark.{LanceTable, MissingLanceTable, TableLocation}

/** What the metastore knows of a table `USING lance`. */
final private[catalog] case class MetastoreEntry(known: Table, location: TableLocation) {
  def name: String = known.name

  def properties: Map[String, String] = known.properties.asScala.toMap

  /** The table that `open` finds. What cannot be found is an error only when it is used. */
  def opened(open: TableLocation => LanceTable): Table =
    try open(location)
    catch {
      case e: LanceTableNotFoundException =>
        new MissingLanceTable(name, TableRequest.schema(known.columns), location, e)
    }
}

private[catalog] object MetastoreEntry {

  /** None for tables that are not ours. */
  def of(table: Table): Option[MetastoreEntry] = for {
    provider <- Option(table.properties.get(TableCatalog.PROP_PROVIDER))
    if provider.equalsIgnoreCase(LanceTable.Provider)
    location <- Option(table.properties.get(TableCatalog.PROP_LOCATION))
  } yield MetastoreEntry(table, TableLocation.of(location))
}
