package io.sparklance.spark.catalog

import java.util.Locale

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException
import io.sparklance.spark.options.{LanceOptions, OptionText, StoreOptions}

/** Options of a catalog: `spark.sql.catalog.<name>.…`.
  *
  * @param warehouse
  *   directory of its tables and namespaces
  */
final private[spark] case class CatalogOptions(warehouse: Option[String], store: StoreOptions)

private[spark] object CatalogOptions {
  val none: CatalogOptions = CatalogOptions(None, StoreOptions.none)

  private val Warehouse = "warehouse"

  /** lance-spark's name of the warehouse. */
  private val Root = "root"

  /** lance-spark's option for the kind of catalog. */
  private val Kind = "impl"

  private val known = Seq(Warehouse, Root, Kind, LanceOptions.CommitHandlerOption.name)

  def of(catalog: String, options: CaseInsensitiveStringMap): CatalogOptions = {
    options.asScala.keys.filterNot(StoreOptions.isSetting)
      .find(key => !known.exists(_.equalsIgnoreCase(key)))
      .foreach { key =>
        throw new LanceUsageException(
          s"spark.sql.catalog.$catalog.$key is not an option of a " +
            s"catalog.${OptionText.suggestion(key, known)} There are ${known.mkString(", ")}, and fs.… " +
            "for settings of file systems."
        )
      }
    Option(options.get(Kind)).filterNot(_.toLowerCase(Locale.ROOT) == "dir").foreach { kind =>
      throw new LanceUsageException(
        s"spark.sql.catalog.$catalog.impl cannot be '$kind': this catalog is a directory, 'dir'. Leave it out."
      )
    }
    CatalogOptions(warehouse(catalog, options), StoreOptions.of(options))
  }

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
