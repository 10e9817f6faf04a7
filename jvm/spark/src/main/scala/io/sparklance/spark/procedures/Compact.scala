package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.compaction.CompactionOptions
import io.sparklance.dataset.write.RewriteSettings
import io.sparklance.spark.history.Statement
import io.sparklance.spark.index.IndexRefresh
import io.sparklance.spark.maintenance.CompactionJob
import io.sparklance.spark.options.{LanceOptions, OptionText, SeparateColumns}
import io.sparklance.table.transaction.Operation

private[sparklance] object Compact
    extends LanceProcedure(
      "compact",
      "Merges small fragments, rewrites those with many deleted rows, and merges many files of a fragment."
    ) {
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

  val parameters: Vector[Parameter[_]] =
    Parameter.table +: settings :+ excluded :+ maxFiles :+ groups :+ skipsIndices

  val result: StructType = StructType.fromDDL(
    "version BIGINT NOT NULL, fragments_removed BIGINT NOT NULL, fragments_added BIGINT NOT NULL, " +
      "files_removed BIGINT NOT NULL, files_added BIGINT NOT NULL"
  )

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
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
}
