package io.sparklance.spark.catalog

import org.apache.spark.sql.connector.catalog.Identifier

import io.sparklance.dataset.Dataset
import io.sparklance.namespace.{FoundTable, TableDirectory, TableName}
import io.sparklance.spark.options.{StatementContext, StoreOptions}
import io.sparklance.spark.session.TableLocation
import io.sparklance.{LanceException, LanceTableNotFoundException, LanceUsageException}

/** The location that an identifier of the catalog resolves to. */
sealed private[spark] trait TablePlace {

  /** Name as users write it. */
  def name: String

  /** The existing state at this location, if any. */
  def state: Option[TablePlace.State]

  /** Location of the table, if it exists. */
  def found: Option[TableLocation] = state.flatMap {
    case TablePlace.There(location) => Some(location)
    case TablePlace.Taken(_) => None
  }

  /** Location for a new table, and the steps around its creation. */
  def fresh: (TableLocation, CatalogHook)
}

private[spark] object TablePlace {

  sealed trait State

  final case class There(location: TableLocation) extends State

  /** A name in use by something that is not a table.
    *
    * @param why
    *   error for statements that need a table
    */
  final case class Taken(why: LanceException) extends State

  /** A path instead of a name. */
  final case class AtPath(name: String, location: TableLocation) extends TablePlace {
    def state: Option[State] = Option.when(Dataset.exists(location.store, location.root))(There(location))
    def fresh: (TableLocation, CatalogHook) = (location, CatalogHook.Idle)
  }

  /** A name in the catalog's directory.
    *
    * @param root
    *   the directory
    */
  final case class Named(name: String, root: TableLocation, table: TableName) extends TablePlace {
    def directory: TableDirectory = new TableDirectory(root.store, root.root)

    def state: Option[State] = directory.find(table).map {
      case FoundTable.Made(place) => There(root.copy(root = place))
      case FoundTable.Declared(place) => Taken(declared(place))
      case FoundTable.Unusable(failure) => Taken(failure)
    }

    private def declared(place: String) = new LanceTableNotFoundException(
      s"$name has no version at $place: it was only declared, or its files are gone. Create it with " +
        "CREATE OR REPLACE TABLE, or remove its name with DROP TABLE."
    )

    def fresh: (TableLocation, CatalogHook) = {
      val place = directory.place(table)
      (root.copy(root = place), new Entry(directory, table, place))
    }
  }

  /** Registers a new table in the directory. */
  final private class Entry(directory: TableDirectory, table: TableName, place: String)
      extends CatalogHook {
    def settle(): Unit =
      try directory.enter(table, place)
      catch {
        // Another statement created the table first, so ours has a directory that nothing refers to.
        case e: LanceUsageException =>
          undo()
          throw e
      }
    def undo(): Unit = directory.clear(table, place)
  }

  /** Returns the path that an identifier is, unchecked. */
  def ofPath(ident: Identifier): Option[String] =
    Option.when(ident.namespace.isEmpty && ident.name.contains('/'))(ident.name)

  def location(path: String, options: StoreOptions): TableLocation =
    StatementContext.storeOptions(path).over(options).locate(path)
}
