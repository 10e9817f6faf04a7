package io.sparklance.spark.catalog

import org.apache.spark.sql.connector.catalog.Identifier

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.namespace.{TableDirectory, TableName}
import io.sparklance.spark.{StoreOptions, TableLocation}

/** What an identifier of the catalog means. */
sealed private[spark] trait TablePlace {

  /** As users write it. */
  def name: String

  /** Where the table is, if it is there. */
  def found: Option[TableLocation]

  /** Where it is to be made, and what goes on around that. */
  def fresh: (TableLocation, StagedLanceTable.Aside)
}

private[spark] object TablePlace {

  /** A path in the place of a name. */
  final case class AtPath(name: String, location: TableLocation) extends TablePlace {
    def found: Option[TableLocation] =
      Option.when(Dataset.exists(location.store, location.root))(location)
    def fresh: (TableLocation, StagedLanceTable.Aside) = (location, StagedLanceTable.Nothing)
  }

  /** A name in the catalog's directory.
    *
    * @param root of the directory
    */
  final case class Named(name: String, root: TableLocation, table: TableName) extends TablePlace {
    def directory: TableDirectory = new TableDirectory(root.store, root.root)

    def found: Option[TableLocation] = directory.find(table).map(place => root.copy(root = place))

    def fresh: (TableLocation, StagedLanceTable.Aside) = {
      val place = directory.place(table)
      (root.copy(root = place), new Entry(directory, table, place))
    }
  }

  /** The directory's side of a new table. */
  final private class Entry(directory: TableDirectory, table: TableName, place: String)
      extends StagedLanceTable.Aside {
    def settle(): Unit =
      try directory.enter(table, place)
      catch {
        // Others were faster: what lies in a place of its own is nobody's.
        case e: LanceUsageException =>
          undo()
          throw e
      }
    def undo(): Unit = directory.clear(table, place)
  }

  /** @param path as it is, not yet checked */
  def ofPath(ident: Identifier): Option[String] =
    Option.when(ident.namespace.isEmpty && ident.name.contains('/'))(ident.name)

  def location(path: String, options: StoreOptions): TableLocation =
    TableLocation.of(path, StoreOptions.duringWriteTo(path).over(options))
}
