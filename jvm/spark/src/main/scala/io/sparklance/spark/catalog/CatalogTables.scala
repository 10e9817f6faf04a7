package io.sparklance.spark.catalog

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.io.hadoop.Schemes
import io.sparklance.namespace.{Namespaces, PlacedTable, ServerNamespace, TableDirectory, TableName}
import io.sparklance.rest.{NamespaceServer, ServerOptions}
import io.sparklance.spark.options.StoreOptions
import io.sparklance.spark.session.{Session, TableLocation}
import io.sparklance.stores.server.{Granted, ServerAccess, StorageOptions}

/** The tables of a catalog: their names, and their locations with the access to them. */
sealed private[spark] trait CatalogTables {
  def names: Namespaces
  def locate(table: TableName, place: PlacedTable): TableLocation

  /** Gives the table at a location a name. */
  def register(table: TableName, location: String): TableLocation
}

private[spark] object CatalogTables {

  /** Tables in a directory, whose access is the directory's. */
  final class InDirectory(root: TableLocation) extends CatalogTables {
    val names: Namespaces = new TableDirectory(root.store, root.root)
    def locate(table: TableName, place: PlacedTable): TableLocation = root.copy(root = place.root)

    /** A location without a scheme and a first slash is within the directory. */
    def register(table: TableName, location: String): TableLocation = {
      val isWhole = location.startsWith("/") || Schemes.of(location).isDefined
      val place = if (isWhole) StoreOptions.locate(location).root else location
      locate(table, names.register(table, place))
    }
  }

  /** Tables behind a server, which tells the location of each and the access to it.
    *
    * @param store
    *   settings of the catalog; the server's win
    * @param locations
    *   directories in which tables may lie, with all files that they refer to; empty for any
    */
  final class OnServer(server: ServerOptions, store: StoreOptions, locations: Vector[String])
      extends CatalogTables {
    val names: Namespaces = new ServerNamespace(new NamespaceServer(server), hasVersion, discard)

    def locate(table: TableName, place: PlacedTable): TableLocation = {
      val access = ServerAccess(server, table.path, Option.when(place.hasVersions)(place.root))
      val settings = new StorageOptions(place.storage, place.root).settings(access) ++
        (if (place.hasVersions) access.settings else Map.empty)
      val options = StoreOptions(settings, None).over(store)
      StoreOptions(granted(table, place, options).settings, None).over(options)
        .locate(place.root, StorageOptions.first(place.storage))
    }

    /** The server decides which forms of locations it takes. */
    def register(table: TableName, location: String): TableLocation =
      locate(table, names.register(table, location))

    private def hasVersion(table: TableName, place: PlacedTable): Boolean = {
      val location = locate(table, place)
      Dataset.exists(location.store, location.root)
    }

    private def discard(table: TableName, place: PlacedTable): Unit = {
      val location = locate(table, place)
      location.store.deleteTree(location.root)
    }

    private def granted(table: TableName, place: PlacedTable, options: StoreOptions): Granted = {
      val conf = Session.hadoopConf
      options.put(conf)
      val granted = new Granted(locations, conf)
      if (!granted.allows(place.root))
        throw new LanceUsageException(
          s"The server at $server gives the location ${place.root} for '$table', which is in none of the directories that option " +
            s"'locations' of the catalog grants: ${locations.mkString(", ")}. Correct the option, or the table's entry on the server."
        )
      granted
    }
  }
}
