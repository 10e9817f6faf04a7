package io.sparklance.spark.catalog

import java.util.Locale

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException
import io.sparklance.rest.ServerOptions
import io.sparklance.spark.options.{LanceOptions, OptionText, StoreOptions}
import io.sparklance.spark.session.{LanceCatalogs, Session}

/** Options of a catalog: `spark.sql.catalog.<name>.…`.
  *
  * @param warehouse
  *   directory of its tables and namespaces
  * @param server
  *   options of its server, by names in lower case
  * @param granted
  *   directories in which a server's tables may lie; empty for any
  */
final private[spark] case class CatalogOptions(
    catalog: String,
    warehouse: Option[String],
    store: StoreOptions,
    server: Map[String, String] = Map.empty,
    granted: Vector[String] = Vector.empty
) {

  /** Returns the catalog's tables, unless it has neither a directory nor a server. */
  def tables: Option[CatalogTables] =
    if (server.nonEmpty) ServerOptions.of(current).map(new CatalogTables.OnServer(_, store, granted))
    else warehouse.map(root => new CatalogTables.InDirectory(store.locate(root)))

  /** Options of the server as they are by now: tokens expire during a session. */
  private def current: Map[String, String] = {
    val prefix = LanceCatalogs.key(catalog) + "."
    val latest = Session.settings.collect {
      case (key, value) if key.startsWith(prefix) => key.stripPrefix(prefix).toLowerCase(Locale.ROOT) -> value
    }
    server ++ latest.filter(option => CatalogOptions.isOfServer(option._1))
  }
}

private[spark] object CatalogOptions {
  val none: CatalogOptions = CatalogOptions(LanceCatalogs.Format, None, StoreOptions.none)

  private val Warehouse = "warehouse"

  /** lance-spark's name of the warehouse. */
  private val Root = "root"

  /** lance-spark's option for the kind of catalog. */
  private val Kind = "impl"

  /** Directories in which a server's tables may lie. */
  private val Locations = "locations"

  private val Kinds = Seq("dir", "rest")

  private val known = Seq(Warehouse, Root, Kind, LanceOptions.CommitHandlerOption.name, Locations) ++
    ServerOptions.names

  private def isOfServer(option: String): Boolean =
    ServerOptions.names.contains(option) || ServerOptions.isHeader(option)

  def of(catalog: String, options: CaseInsensitiveStringMap): CatalogOptions = {
    options.asScala.keys.filterNot(key => StoreOptions.isSetting(key) || ServerOptions.isHeader(key))
      .find(key => !known.exists(_.equalsIgnoreCase(key)))
      .foreach { key =>
        throw new LanceUsageException(
          s"spark.sql.catalog.$catalog.$key is not an option of a " +
            s"catalog.${OptionText.suggestion(key, known)} There are ${known.mkString(", ")}, headers.… " +
            "for headers of a server, and fs.… for settings of file systems."
        )
      }
    val server = options.asScala.toMap.map { case (key, value) => key.toLowerCase(Locale.ROOT) -> value }
      .filter(option => isOfServer(option._1))
    val directory = warehouse(catalog, options)
    checkKind(catalog, server, directory, Option(options.get(Kind)).map(_.toLowerCase(Locale.ROOT)))
    val granted = Option(options.get(Locations)).toVector.flatMap(_.split(',')).map(_.trim).filter(_.nonEmpty)
    if (granted.nonEmpty && server.isEmpty) throw withoutServer(catalog, Locations)
    val _ = ServerOptions.of(server)
    CatalogOptions(catalog, directory, StoreOptions.of(options), server, granted)
  }

  /** Requires a directory or a server, and not both. */
  private def checkKind(
      catalog: String,
      server: Map[String, String],
      directory: Option[String],
      kind: Option[String]
  ): Unit = {
    val has = server.contains(ServerOptions.Uri)
    server.keys.toSeq.sorted.headOption.filterNot(_ => has).foreach(key => throw withoutServer(catalog, key))
    if (has && directory.isDefined) throw new LanceUsageException(
      s"The catalog '$catalog' has a server, by uri, and a directory, by $Warehouse or $Root. Leave one out."
    )
    val expected = if (has) "rest" else "dir"
    kind.filterNot(_ == expected).foreach { other =>
      val known = if (Kinds.contains(other))
        s"this catalog is '$expected', for it has ${if (has) "a" else "no"} uri"
      else "a catalog is a directory, 'dir', or behind a server, 'rest'"
      throw new LanceUsageException(
        s"spark.sql.catalog.$catalog.impl cannot be '$other': $known. Leave it out."
      )
    }
  }

  private def withoutServer(catalog: String, key: String) = new LanceUsageException(
    s"spark.sql.catalog.$catalog.$key has no meaning without a server. Set spark.sql.catalog.$catalog.uri to its address, or leave " +
      "the option out."
  )

  private def warehouse(catalog: String, options: CaseInsensitiveStringMap): Option[String] = {
    val named = Seq(Warehouse, Root).flatMap(key => Option(options.get(key))).filter(_.nonEmpty).distinct
    if (named.size > 1)
      throw new LanceUsageException(
        s"The catalog '$catalog' has two directories, ${named.mkString(" and ")}: as $Warehouse and as $Root, which mean the " +
          "same. Leave one out."
      )
    named.headOption
  }
}
