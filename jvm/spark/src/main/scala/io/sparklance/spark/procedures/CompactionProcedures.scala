package io.sparklance.spark.procedures

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.compaction.{CompactionOptions, CompactionOutcome, FileVersionRise}
import io.sparklance.dataset.write.RewriteSettings
import io.sparklance.spark.history.Statement
import io.sparklance.spark.index.IndexRefresh
import io.sparklance.spark.maintenance.CompactionJob
import io.sparklance.spark.options.{LanceOptions, OptionText, SeparateColumns}
import io.sparklance.table.transaction.Operation

/** Procedures that rewrite data files. */
private[procedures] object CompactionProcedures {
  private val settings: Vector[Parameter[_ <: Option[Any]]] = Vector(
    Parameter.number("target_rows_per_fragment").optional,
    Parameter.number("max_bytes_per_file").optional,
    Parameter.flag("materialize_deletions").optional,
    Parameter.fraction("materialize_deletions_threshold").optional,
    Parameter.number("max_source_fragments").optional,
    Parameter.number("max_source_rows").optional,
    Parameter.number("max_source_bytes").optional,
    Parameter.text("data_storage_version").optional
  )
  private val excluded = Parameter.numbers("excluded_fragment_ids").optional
  private val maxFiles = Parameter.number("max_files_per_fragment").optional
  private val groups = Parameter.text("column_groups").optional
  private val texts: Vector[Parameter[_ <: Option[Any]]] = settings :+ maxFiles :+ groups
  private val skipsIndices = Parameter.flag("skip_indices")
  private val fileVersion = Parameter.text("data_storage_version")

  val all: Vector[LanceProcedure] = Vector(
    LanceProcedure(
      "compact",
      "Merges small fragments, rewrites those with many deleted rows, and merges many files of a fragment.",
      settings :+ excluded :+ maxFiles :+ groups :+ skipsIndices,
      "version BIGINT NOT NULL, fragments_removed BIGINT NOT NULL, fragments_added BIGINT NOT NULL, " +
        "files_removed BIGINT NOT NULL, files_added BIGINT NOT NULL"
    )(compact),
    LanceProcedure(
      "raise_file_version",
      "Raises the file version of a table's new files. Files of version 0.1 are rewritten, others stay.",
      Vector(fileVersion),
      "version BIGINT NOT NULL, data_storage_version STRING NOT NULL, files_rewritten BIGINT NOT NULL"
    )(raiseFileVersion)
  )

  private def compact(arguments: Arguments): Iterator[Seq[Any]] = {
    val dataset = arguments.latest
    val explicit = texts.flatMap(s => arguments(s).map(value => s.name -> value.toString)).toMap
    val write = LanceOptions.sessionWrite
    val options = optionsOf(arguments, dataset, explicit - groups.name)
    val limits = write.limits
    val how = RewriteSettings(limits.bufferBytes, limits.compression, limits.statistics, options.groups)
    val statement = Statement("OPTIMIZE", explicit)
    def properties(operation: Operation, before: Dataset) =
      statement.properties(operation, Some(before)) ++ write.commit.properties
    val outcome = new CompactionJob(arguments.location, how).run(dataset, options, properties)
    val indexed =
      if (arguments(skipsIndices)) None
      else IndexRefresh.afterMoves(arguments.location, dataset, outcome.dataset)
    Iterator(
      Seq[Any](
        indexed.getOrElse(outcome.dataset).version,
        outcome.fragmentsRemoved.toLong,
        outcome.fragmentsAdded.toLong,
        outcome.filesRemoved.toLong,
        outcome.filesAdded.toLong
      )
    )
  }

  private def optionsOf(
      arguments: Arguments,
      dataset: Dataset,
      explicit: Map[String, String]
  ): CompactionOptions = {
    val apart = arguments(groups).map(OptionText.argument(groups.name, _)(SeparateColumns.parse))
    CompactionOptions
      .of(dataset.config, explicit)
      .copy(
        excludedFragments = arguments(excluded).fold(Set.empty[Long])(_.toSet),
        groups = apart.getOrElse(LanceOptions.sessionWrite.limits.apart).in(dataset.schema)
      )
  }

  private def raiseFileVersion(arguments: Arguments): Iterator[Seq[Any]] = {
    val dataset = arguments.latest
    val wanted = OptionText.argument(fileVersion.name, arguments(fileVersion))(OptionText.fileVersion)
    val statement = Statement("RAISE FILE VERSION", Map("version" -> wanted.name))
    val (after, rewritten) = FileVersionRise.of(dataset, wanted) match {
      case FileVersionRise.Done => dataset -> 0
      case FileVersionRise.Noted(operation) => statement.commit(dataset, operation).dataset -> 0
      case rise: FileVersionRise.Rewritten =>
        val outcome = rewrite(arguments, rise, statement)
        outcome.dataset -> outcome.done.flatMap(_.old).map(_.files.size).sum
    }
    Iterator(Seq[Any](after.version, after.fileVersion.name, rewritten.toLong))
  }

  private def rewrite(
      arguments: Arguments,
      rise: FileVersionRise.Rewritten,
      statement: Statement
  ): CompactionOutcome = {
    val limits = LanceOptions.sessionWrite.limits
    val how = RewriteSettings(limits.bufferBytes, limits.compression, limits.statistics)
    val before = rise.plan.dataset
    new CompactionJob(arguments.location, how)
      .runAll(rise.plan, rise.options, statement.properties(_, Some(before)))
  }
}
