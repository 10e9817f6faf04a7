package io.sparklance.spark.catalog

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.spark.sql.connector.catalog.{Table, TableCatalog}

import io.sparklance.dataset.Dataset
import io.sparklance.spark.options.StoreOptions
import io.sparklance.spark.session.{LanceCatalogs, TableLocation}
import io.sparklance.spark.table.{LanceTable, UnusableLanceTable}

/** The metastore's entry of a table `USING lance`. */
final private[spark] case class MetastoreEntry(known: Table, location: TableLocation) {
  def name: String = known.name

  def properties: Map[String, String] = known.properties.asScala.toMap

  /** User-defined TBLPROPERTIES. */
  def ownProperties: Map[String, String] = TableRequest.own(properties)

  /** Whether the table is managed: the metastore chose its location. */
  def isManaged: Boolean = properties.get(TableCatalog.PROP_IS_MANAGED_LOCATION).contains("true")

  def dataset: Dataset = Dataset.open(location.store, location.root)

  /** Returns the latest version. A table that cannot be opened fails only when it is used. */
  def latest: Table =
    try OpenedVersions.latest(name, location, properties)
    catch {
      case NonFatal(e) =>
        new UnusableLanceTable(name, TableRequest.schema(known.columns), location, LanceTable.Writable, e)
    }
}

private[spark] object MetastoreEntry {

  /** Returns None for tables of other formats. */
  def of(table: Table): Option[MetastoreEntry] = for {
    provider <- Option(table.properties.get(TableCatalog.PROP_PROVIDER))
    if provider.equalsIgnoreCase(LanceCatalogs.Format)
    location <- Option(table.properties.get(TableCatalog.PROP_LOCATION))
  } yield MetastoreEntry(table, StoreOptions.locate(location))
}
