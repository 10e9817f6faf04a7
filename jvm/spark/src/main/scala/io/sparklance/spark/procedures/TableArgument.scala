package io.sparklance.spark.procedures

import scala.util.Try

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.connector.catalog.{CatalogPlugin, Table}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.sparklance.dataset.Dataset
import io.sparklance.spark.errors.LanceThrowable
import io.sparklance.spark.options.StoreOptions
import io.sparklance.spark.session.{LanceCatalogs, PlainNames, SqlNames, TableLocation}
import io.sparklance.spark.table.{BrokenTable, LanceTable}
import io.sparklance.{LanceFileSystemNotFoundException, LanceUsageException}

/** Finds the table of an argument: by path, or by name. A procedure's names are those of its catalog, unless
  * they begin with a catalog's name; other names are found as any statement would.
  */
private[spark] object TableArgument {
  private val QuotedName = {
    val part = "(?:`(?:[^`]|``)+`|[^`./]+)"
    s"$part(?:\\.$part)*".r
  }

  def location(table: String): TableLocation =
    if (isPath(table)) StoreOptions.locate(table) else located(table, resolved(table))

  /** Returns the location of the table that a procedure of a catalog is called with. */
  def location(table: String, catalog: CatalogPlugin): TableLocation =
    if (isPath(table)) StoreOptions.locate(table)
    else
      inCatalog(table, catalog) match {
        case None => location(table)
        case Some(whole) if catalog.name == LanceCatalogs.Format => there(whole).getOrElse(location(table))
        case Some(whole) => located(whole, resolved(whole))
      }

  private def located(name: String, table: Option[Table]): TableLocation = table.flatMap(lance).getOrElse(
    throw new LanceUsageException(
      s"'$name' is not a Lance table. Give the name of one, or its path, which must have a slash."
    )
  )

  /** Puts a catalog before a name; None if the name has one, or would get this one anyway. */
  private def inCatalog(table: String, catalog: CatalogPlugin): Option[String] = {
    val session = SparkSession.active
    val parts = CatalystSqlParser.parseMultipartIdentifier(table)
    val isWhole = parts.length > 1 && LanceCatalogs.isCatalog(session, parts.head)
    Option.unless(isWhole || session.catalog.currentCatalog() == catalog.name) {
      val inner = if (parts.length > 1) parts else catalog.defaultNamespace.toSeq ++ parts
      (catalog.name +: inner).map(SqlNames.quoted).mkString(".")
    }
  }

  /** Returns the location of a table in the catalog `lance`, which serves the tables of all others, too. */
  private def there(whole: String): Option[TableLocation] =
    Try(resolved(whole)).toOption.flatten.flatMap(lance)

  /** Whether a Lance table of this name or path exists, even if it cannot be opened. */
  def isLance(table: String): Boolean =
    if (isPath(table))
      Try(StoreOptions.locate(table)).toOption.exists(at => Dataset.exists(at.store, at.root))
    else Try(resolved(table)).toOption.flatten.exists(isLance)

  /** Whether a table is meant that only Lance could open, were its files or its file system not missing. */
  def isUnusable(table: String): Boolean = Try(location(table)).failed.toOption.exists {
    case _: LanceFileSystemNotFoundException | _: LanceThrowable => true
    case _ => false
  }

  /** A slash makes a path, unless the text is a name whose parts in backticks have all the slashes. */
  private[spark] def isPath(table: String): Boolean =
    table.contains('/') && !QuotedName.matches(table) || StoreOptions.isPathOfWindows(table)

  private def resolved(name: String): Option[Table] =
    PlainNames.keeping(SparkSession.active.table(name)).queryExecution.analyzed.collectFirst {
      case relation: DataSourceV2Relation => relation.table
    }

  private def isLance(table: Table): Boolean = table match {
    case _: LanceTable | _: BrokenTable => true
    case _ => false
  }

  private def lance(table: Table): Option[TableLocation] = table match {
    case lance: LanceTable => Some(lance.location)
    case broken: BrokenTable => throw broken.failure
    case _ => None
  }
}
