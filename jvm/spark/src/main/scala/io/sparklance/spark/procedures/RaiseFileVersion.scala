package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.compaction.{CompactionOutcome, FileVersionRise}
import io.sparklance.dataset.write.RewriteSettings
import io.sparklance.spark.history.Statement
import io.sparklance.spark.maintenance.CompactionJob
import io.sparklance.spark.options.{LanceOptions, OptionText}

private[sparklance] object RaiseFileVersion
    extends LanceProcedure(
      "raise_file_version",
      "Raises the file version of a table's new files. Files of version 0.1 are rewritten, others stay."
    ) {
  private val fileVersion = Parameter.text("data_storage_version")

  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, fileVersion)
  val result: StructType = StructType.fromDDL(
    "version BIGINT NOT NULL, data_storage_version STRING NOT NULL, files_rewritten BIGINT NOT NULL"
  )

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
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
