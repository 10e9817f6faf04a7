package io.sparklance.spark.options

import java.util.Locale

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
  def over(properties: Map[String, String], said: CaseInsensitiveStringMap): CaseInsensitiveStringMap = {
    val options = PeerNames.options(said, isWrite = true)
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

/** Names of the reference connector's that a table would keep without effect, and that [[PeerNames]] does not
  * translate. Each is refused with what to do instead.
  */
private[options] object PeerProperties {
  private val ofTables: Map[String, String] = Map(
    "max_rows_per_group" -> "Leave it out: files have no groups of rows",
    "batch_size" -> ofReads("batchSize"),
    "pushdownfilters" -> ofReads("pushDownFilters"),
    "metadata_cache_size" -> ofReads("metadataCacheBytes"),
    "nearest" -> ofReads("nearest"),
    "block_size" -> Reads,
    "index_cache_size" -> Reads,
    "topn_push_down" -> Reads,
    "max_batch_bytes" -> option("writeBufferBytes"),
    "write_mode" -> "Leave it out, and name the mode in the statement",
    "build_mode" -> "Leave it out: it belongs to CREATE INDEX of that connector",
    "queue_depth" -> "Leave it out: writes have no queue",
    "use_queued_write_buffer" -> "Leave it out: writes have no queue",
    "use_large_var_types" -> LargeTexts
  )

  private def option(name: String) = s"Set '${TableProperties.WritePrefix}$name'"

  private def ofReads(name: String) = s"Set '$name' as an option of reads"

  private def Reads = "Leave it out: it belongs to reads, and they need no such option here"

  private def LargeTexts = "Leave it out: columns of texts may have any size"

  /** Refuses the first such name, in any case. */
  def refuse(properties: Map[String, String]): Unit = properties.keys.toSeq.sorted.foreach { name =>
    cure(name).foreach { cure =>
      throw new LanceUsageException(
        s"Property '$name' is a name of lance-spark's, and has no effect here. $cure (docs/options.md)."
      )
    }
  }

  private def cure(name: String): Option[String] = {
    val lower = name.toLowerCase(Locale.ROOT)
    ofTables.get(lower).orElse(lower match {
      case OfColumn(_, "arrow.large_var_char") => Some(LargeTexts)
      case OfColumn(column, "lance.encoding") =>
        Some(s"Set '${name.take(column.length)}.lance-encoding:…'")
      case OfColumn(_, key) => Some(s"Leave it out: '$key' is no setting of a column's encoding")
      case _ => None
    })
  }

  /** Any name that begins with a column and `.lance.`: none of them is ours. */
  private val OfColumn = "(?!lance\\.|sparklance\\.|spark\\.)(.+?)\\.(arrow\\.large_var_char|lance\\.[^.]+)".r
}
