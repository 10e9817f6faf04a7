package io.sparklance.dataset.compaction

import java.util.Locale

import org.slf4j.LoggerFactory

import io.sparklance.data.FileVersion
import io.sparklance.dataset.write.ColumnGroups
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** Options of a compaction. Names and defaults are pylance's.
  *
  * @param targetRowsPerFragment
  *   smaller fragments are joined up to this number of rows
  * @param maxBytesPerFile
  *   approximate size at which a new file starts
  * @param materializeDeletions
  *   whether fragments are rewritten only because of deleted rows
  * @param materializeDeletionsThreshold
  *   share of deleted rows above which a fragment is rewritten
  * @param maxSourceFragments
  *   limit for all groups together, like those of rows and bytes
  * @param excludedFragments
  *   fragments to leave unchanged
  * @param fileVersion
  *   file version of new files, if not the table's
  * @param maxFilesPerFragment
  *   number of data files above which those of a fragment are merged; pylance has no such option
  * @param groups
  *   columns that get files of their own
  * @param rewritesAll
  *   whether every fragment is rewritten
  */
final private[sparklance] case class CompactionOptions(
    targetRowsPerFragment: Long = 1L << 20,
    maxBytesPerFile: Long = 90L << 30,
    materializeDeletions: Boolean = true,
    materializeDeletionsThreshold: Float = 0.1f,
    maxSourceFragments: Option[Long] = None,
    maxSourceRows: Option[Long] = None,
    maxSourceBytes: Option[Long] = None,
    excludedFragments: Set[Long] = Set.empty,
    fileVersion: Option[FileVersion] = None,
    maxFilesPerFragment: Long = 16,
    groups: ColumnGroups = ColumnGroups.one,
    rewritesAll: Boolean = false
) {

  /** Returns the options without limits on the work of a call. */
  private[compaction] def unlimited: CompactionOptions =
    copy(maxSourceFragments = None, maxSourceRows = None, maxSourceBytes = None)

  /** Returns the options with the limits that a call has left. */
  private[sparklance] def after(done: Vector[RewrittenGroup]): CompactionOptions = {
    val old = done.flatMap(_.old)
    copy(
      maxSourceFragments = maxSourceFragments.map(_ - old.size),
      maxSourceRows = maxSourceRows.map(_ - done.flatMap(_.files).map(_.file.rows).sum),
      maxSourceBytes = maxSourceBytes.map(_ - old.flatMap(_.files).flatMap(_.size).sum)
    )
  }

  /** Returns the options with one more, in text form. */
  private def having(name: String, text: String, shown: String): CompactionOptions = {
    def wrong(expected: String) = throw new LanceUsageException(
      s"'$text' is not a value of $shown, which takes $expected. Choose one, or leave it out."
    )
    def positive: Long = text.trim.toLongOption.filter(_ > 0).getOrElse(wrong("a number of 1 or more"))
    def flag: Boolean =
      text.trim.toLowerCase(Locale.ROOT).toBooleanOption.getOrElse(wrong("true or false"))
    name match {
      case "target_rows_per_fragment" => copy(targetRowsPerFragment = positive)
      case "max_bytes_per_file" => copy(maxBytesPerFile = positive)
      case "materialize_deletions" => copy(materializeDeletions = flag)
      case "materialize_deletions_threshold" =>
        copy(materializeDeletionsThreshold =
          text.trim.toFloatOption.filterNot(_.isNaN).getOrElse(wrong("a number between 0.0 and 1.0"))
        )
      case "max_source_fragments" => copy(maxSourceFragments = Some(positive))
      case "max_source_rows" => copy(maxSourceRows = Some(positive))
      case "max_files_per_fragment" => copy(maxFilesPerFragment = positive)
      case "max_source_bytes" => copy(maxSourceBytes = Some(positive))
      case "data_storage_version" =>
        val version = FileVersion.parse(text.trim).filter(FileVersion.writable.contains)
        copy(fileVersion = version.orElse(wrong(FileVersion.writable.mkString(", "))))
      case "defer_index_remap" if flag =>
        throw new UnsupportedLanceFeatureException("a map of moved rows for indices (defer_index_remap)")
      case "compaction_mode" if text.trim.toLowerCase(Locale.ROOT) == "force_binary_copy" =>
        throw new UnsupportedLanceFeatureException("compaction that copies pages (force_binary_copy)")
      case name if CompactionOptions.WithoutMeaning(name) => this
      case _ =>
        CompactionOptions.log.warn(
          s"$shown is not a known option of compaction, and is ignored"
        )
        this
    }
  }
}

private[sparklance] object CompactionOptions {
  private val log = LoggerFactory.getLogger(getClass)

  /** Prefix of defaults in a table's config. */
  val ConfigPrefix = "lance.compaction."

  /** Options that tune pylance's own code. */
  private val WithoutMeaning = Set(
    "max_rows_per_group",
    "num_threads",
    "batch_size",
    "io_buffer_size",
    "defer_index_remap",
    "index_remap_mode",
    "compaction_mode",
    "binary_copy_read_batch_bytes",
    "max_overlays_per_fragment"
  )

  /** Returns the defaults of a table's config.
    *
    * @param explicit
    *   options that override them, by name
    */
  def of(config: Map[String, String], explicit: Map[String, String] = Map.empty): CompactionOptions = {
    val defaults = config.toVector.sorted.collect {
      case (key, text) if key.startsWith(ConfigPrefix) => (key.stripPrefix(ConfigPrefix), text, key)
    }
    val all = defaults.filterNot(d => explicit.contains(d._1)) ++
      explicit.toVector.sorted.map { case (name, text) => (name, text, name) }
    all.foldLeft(CompactionOptions()) { case (options, (name, text, shown)) =>
      options.having(name, text, shown)
    }
  }
}
