package io.sparklance.spark.catalog

import org.apache.spark.sql.connector.catalog.Identifier

import io.sparklance.dataset.Dataset
import io.sparklance.namespace.{FoundTable, TableDirectory, TableName}
import io.sparklance.spark.options.{StatementContext, StoreOptions}
import io.sparklance.spark.session.TableLocation
import io.sparklance.{LanceException, LanceTableNotFoundException, LanceUsageException}

/** What an identifier of the catalog means. */
sealed private[spark] trait TablePlace {

  /** As users write it. */
  def name: String

  /** What is there, if anything is. */
  def state: Option[TablePlace.State]

  /** Where the table is, if there is one. */
  def found: Option[TableLocation] = state.flatMap {
    case TablePlace.There(location) => Some(location)
    case TablePlace.Taken(_) => None
  }

  /** Where it is to be made, and what goes on around that. */
  def fresh: (TableLocation, CatalogHook)
}

private[spark] object TablePlace {

  sealed trait State

  final case class There(location: TableLocation) extends State

  /** A name that is taken, and no table.
    *
    * @param why
    *   what statements that need one are told
    */
  final case class Taken(why: LanceException) extends State

  /** A path in the place of a name. */
  final case class AtPath(name: String, location: TableLocation) extends TablePlace {
    def state: Option[State] = Option.when(Dataset.exists(location.store, location.root))(There(location))
    def fresh: (TableLocation, CatalogHook) = (location, CatalogHook.Idle)
  }

  /** A name in the catalog's directory.
    *
    * @param root
    *   of the directory
    */
  final case class Named(name: String, root: TableLocation, table: TableName) extends TablePlace {
    def directory: TableDirectory = new TableDirectory(root.store, root.root)

    def state: Option[State] = directory.find(table).map {
      case FoundTable.Made(place) => There(root.copy(root = place))
      case FoundTable.Declared(place) => Taken(declared(place))
      case FoundTable.Unusable(failure) => Taken(failure)
    }

    private def declared(place: String) = new LanceTableNotFoundException(
      s"$name has no version: at $place it was declared only, or what was there is gone. CREATE OR REPLACE TABLE makes one " +
        "there, DROP TABLE takes the name out."
    )

    def fresh: (TableLocation, CatalogHook) = {
      val place = directory.place(table)
      (root.copy(root = place), new Entry(directory, table, place))
    }
  }

  /** The directory's side of a new table. */
  final private class Entry(directory: TableDirectory, table: TableName, place: String)
      extends CatalogHook {
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
    StatementContext.storeOptions(path).over(options).locate(path)
}
