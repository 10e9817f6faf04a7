package io.sparklance.spark.options

import java.util.Locale

import io.sparklance.LanceUsageException
import io.sparklance.schema.BlobVersion

/** Names of the reference connector's that a table would keep without effect. Each is refused with ours. */
private[options] object PeerProperties {
  private val ofTables: Map[String, String] = Map(
    "enable_stable_row_ids" -> option("enableStableRowIds"),
    "file_format_version" -> option("dataStorageVersion"),
    "data_storage_version" -> option("dataStorageVersion"),
    "max_row_per_file" -> option("maxRowsPerFile"),
    "max_rows_per_file" -> option("maxRowsPerFile"),
    "max_bytes_per_file" -> option("maxBytesPerFile"),
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
  def refuse(properties: Map[String, String]): Unit = properties.toSeq.sorted.foreach { case (name, value) =>
    cure(name, value).foreach { cure =>
      throw new LanceUsageException(
        s"Property '$name' is a name of lance-spark's, and has no effect here. $cure (docs/options.md)."
      )
    }
  }

  private def cure(name: String, value: String): Option[String] = {
    val lower = name.toLowerCase(Locale.ROOT)
    ofTables.get(lower).orElse(lower match {
      case OfColumn(_, "arrow.large_var_char") => Some(LargeTexts)
      case OfColumn(column, "lance.encoding") if value.equalsIgnoreCase("blob") =>
        Some(s"Set '${name.take(column.length)}.${BlobVersion.V1Key}' = 'true'")
      case OfColumn(column, "lance.encoding") =>
        Some(s"Set '${name.take(column.length)}.lance-encoding:…'")
      case OfColumn(column, key) if keys(key) =>
        Some(s"Set '${name.take(column.length)}.lance-encoding:${key.stripPrefix("lance.")}'")
      case OfColumn(_, key) => Some(s"Leave it out: '$key' is no setting of a column's encoding")
      case _ => None
    })
  }

  /** Any name that begins with a column and `.lance.`: none of them is ours. */
  private val OfColumn = "(?!lance\\.|sparklance\\.|spark\\.)(.+?)\\.(arrow\\.large_var_char|lance\\.[^.]+)".r

  private val keys: Set[String] = Set(
    "compression",
    "compression-level",
    "structural-encoding",
    "rle-threshold",
    "bss",
    "dict-divisor",
    "dict-size-ratio",
    "dict-values-compression",
    "dict-values-compression-level",
    "minichunk-size"
  ).map("lance." + _)
}
