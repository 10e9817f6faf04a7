package io.sparklance.spark.catalog

import org.apache.hadoop.conf.Configuration

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.namespace.{Namespaces, PlacedTable, TableDirectory, TableName, TableServer}
import io.sparklance.rest.{NamespaceServer, ServerOptions}
import io.sparklance.spark.options.StoreOptions
import io.sparklance.spark.session.{Session, TableLocation}
import io.sparklance.stores.TableUri
import io.sparklance.stores.server.{ServerAccess, StorageOptions}

/** The tables of a catalog: their names, and their locations with the access to them. */
sealed private[spark] trait CatalogTables {
  def names: Namespaces
  def locate(table: TableName, place: PlacedTable): TableLocation
}

private[spark] object CatalogTables {

  /** Tables in a directory, whose access is the directory's. */
  final class InDirectory(root: TableLocation) extends CatalogTables {
    val names: Namespaces = new TableDirectory(root.store, root.root)
    def locate(table: TableName, place: PlacedTable): TableLocation = root.copy(root = place.root)
  }

  /** Tables behind a server, which tells the location of each and the access to it.
    *
    * @param store
    *   settings of the catalog; the server's win
    * @param granted
    *   directories in which tables may lie; empty for any
    */
  final class OnServer(server: ServerOptions, store: StoreOptions, granted: Vector[String])
      extends CatalogTables {
    val names: Namespaces = new TableServer(new NamespaceServer(server), hasVersion, discard)

    def locate(table: TableName, place: PlacedTable): TableLocation = {
      checkGranted(table, place)
      val access = ServerAccess(server, table.path, Option.when(place.hasVersions)(place.root))
      val settings = new StorageOptions(place.storage, place.root).settings(access) ++
        (if (place.hasVersions) access.settings else Map.empty)
      StoreOptions(settings, None).over(store)
        .locate(place.root, StorageOptions.first(place.storage))
    }

    private def hasVersion(table: TableName, place: PlacedTable): Boolean = {
      val location = locate(table, place)
      Dataset.exists(location.store, location.root)
    }

    private def discard(table: TableName, place: PlacedTable): Unit = {
      val location = locate(table, place)
      location.store.deleteTree(location.root)
    }

    private def checkGranted(table: TableName, place: PlacedTable): Unit = if (granted.nonEmpty) {
      val conf = Session.hadoopConf
      val root = plain(place.root, conf)
      if (!granted.exists(each => s"$root/".startsWith(s"${plain(each, conf)}/")))
        throw new LanceUsageException(
          s"The server at $server gives the location ${place.root} for '$table', which is in none of the directories that option " +
            s"'locations' of the catalog grants: ${granted.mkString(", ")}. Correct the option, or the table's entry on the server."
        )
    }

    private def plain(location: String, conf: Configuration): String =
      TableUri.parse(location, conf).root.stripPrefix("file://").stripPrefix("file:").stripSuffix("/")
  }
}
