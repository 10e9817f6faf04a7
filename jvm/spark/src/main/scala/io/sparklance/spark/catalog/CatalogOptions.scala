package io.sparklance.spark.catalog

import java.util.Locale

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException
import io.sparklance.spark.{LanceOptions, StoreOptions}

/** What `spark.sql.catalog.<name>.…` says of a catalog.
  *
  * @param root the directory of its tables and namespaces
  */
final private[catalog] case class CatalogOptions(root: Option[String], store: StoreOptions)

private[catalog] object CatalogOptions {
  val none: CatalogOptions = CatalogOptions(None, StoreOptions.none)

  private val Root = "root"

  /** The reference's connector wants to be told that it is a directory. */
  private val Kind = "impl"

  private val known = Seq(Root, Kind, LanceOptions.CommitHandlerOption.name)

  def of(catalog: String, options: CaseInsensitiveStringMap): CatalogOptions = {
    options.asScala.keys.filterNot(StoreOptions.isSetting)
      .find(key => !known.exists(_.equalsIgnoreCase(key)))
      .foreach { key =>
        throw new LanceUsageException(
          s"spark.sql.catalog.$catalog.$key is no option of a catalog. There are ${known.mkString(", ")}, and fs.… for settings " +
            "of file systems."
        )
      }
    Option(options.get(Kind)).filterNot(_.toLowerCase(Locale.ROOT) == "dir").foreach { kind =>
      throw new LanceUsageException(
        s"spark.sql.catalog.$catalog.impl cannot be '$kind': this catalog is a directory, 'dir'. Leave it out."
      )
    }
    CatalogOptions(Option(options.get(Root)).filter(_.nonEmpty), StoreOptions.of(options))
  }
}
