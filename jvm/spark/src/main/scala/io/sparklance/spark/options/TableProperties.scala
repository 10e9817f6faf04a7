package io.sparklance.spark.options

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException

/** Table properties (TBLPROPERTIES). */
private[spark] object TableProperties {
  private val OursPrefix = "lance."
  private[options] val WritePrefix = "lance.write."

  /** Names of the properties that jobs of the connector record in a table. */
  private val RememberedPrefix = "sparklance."

  /** Options that identify a single write or its target. They cannot be table properties. */
  private val ofOneWrite: Vector[String] = Vector(
    LanceOptions.TxnAppId,
    LanceOptions.TxnVersion,
    LanceOptions.Uncommitted,
    LanceOptions.Branch,
    LanceOptions.Columns,
    LanceOptions.ColumnsOn,
    LanceOptions.ColumnsJob,
    LanceOptions.ColumnsVersion
  ).map(WritePrefix + _.name)

  def isWriteOption(property: String): Boolean = property.startsWith(WritePrefix)

  /** Known keys of a table's config, here or in pylance. */
  private val config: Vector[String] = Vector(
    "auto_cleanup" -> Vector(
      "interval",
      "older_than",
      "retain_versions",
      "referenced_branch",
      "delete_rate_limit",
      "delete_concurrency"
    ),
    "compaction" -> Vector(
      "target_rows_per_fragment",
      "max_rows_per_group",
      "max_bytes_per_file",
      "materialize_deletions",
      "materialize_deletions_threshold",
      "num_threads",
      "batch_size",
      "io_buffer_size",
      "data_storage_version",
      "defer_index_remap",
      "index_remap_mode",
      "compaction_mode",
      "binary_copy_read_batch_bytes",
      "max_source_fragments",
      "max_source_rows",
      "max_source_bytes",
      "max_files_per_fragment",
      "max_overlays_per_fragment"
    ),
    "row_lineage" -> Vector("spill", "inline_max_bytes")
  ).flatMap { case (group, names) => names.map(name => s"$OursPrefix$group.$name") }

  /** Returns the options of a write with defaults from the table's properties. */
  def over(properties: Map[String, String], options: CaseInsensitiveStringMap): CaseInsensitiveStringMap = {
    properties.keys.find(key => ofOneWrite.exists(_.equalsIgnoreCase(key))).foreach { key =>
      throw new LanceUsageException(
        s"'$key' cannot be a property of a table, since the option belongs to a single write. Set the " +
          "option for each write, and UNSET the property if the table has it."
      )
    }
    val defaults = properties.collect {
      case (key, value) if key.startsWith(WritePrefix) => key.drop(WritePrefix.length) -> value
    }.filterNot { case (name, _) => options.containsKey(name) }
    new CaseInsensitiveStringMap((defaults ++ options.asCaseSensitiveMap.asScala).asJava)
  }

  /** Whether a property belongs to the table's config, which all writers read. */
  def isOfTable(key: String): Boolean = key.startsWith(OursPrefix) && !key.startsWith(WritePrefix)

  private def begins(key: String, prefix: String) = key.regionMatches(true, 0, prefix, 0, prefix.length)

  /** Returns a property with the name of an option of writes. An option of the statement is none, which Spark
    * passes twice; and names in lower case, such as `compression`, may be the user's.
    */
  private def bare(properties: Map[String, String]): Option[String] = {
    val names = LanceOptions.writing.map(_.name).filter(_.exists(_.isUpper))
    properties.keys.find { key =>
      names.exists(_.equalsIgnoreCase(key)) && !properties.contains(TableCatalog.OPTION_PREFIX + key)
    }
  }

  /** Refuses properties that would have no effect: unknown ones with our prefixes, and names of a peer's. */
  def check(properties: Map[String, String]): Unit = {
    PeerProperties.refuse(properties)
    properties.keys.find(begins(_, RememberedPrefix)).foreach { key =>
      throw new LanceUsageException(
        s"Property '$key' cannot be set: names that begin with $RememberedPrefix are for what jobs of the " +
          s"connector remember. Use another name; options of writes begin with $WritePrefix (docs/options.md)."
      )
    }
    val _ = LanceOptions.forWrite(over(properties, CaseInsensitiveStringMap.empty))
    bare(properties).foreach { key =>
      throw new LanceUsageException(
        s"Property '$key' has no effect, as properties that set options of writes begin with $WritePrefix: " +
          s"set '$WritePrefix$key' (docs/options.md)."
      )
    }
    properties.keys.filter(key => begins(key, OursPrefix) && !isWriteOption(key)).find(!config.contains(
      _
    )).foreach { key =>
      val known = config ++ LanceOptions.writing.map(WritePrefix + _.name)
      throw new LanceUsageException(
        s"There is no property '$key'.${OptionText.suggestion(key, known)} Properties that begin with " +
          s"$OursPrefix are ${known.mkString(", ")} (docs/options.md). Set other keys of the table's " +
          "config by CALL lance.system.update_config."
      )
    }
  }
}
