package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.LanceUsageException
import io.sparklance.dataset.backfill.JobFolder
import io.sparklance.spark.backfill.ColumnExpressions
import io.sparklance.spark.options.{BackfillKind, LanceOptions}

/** Shared parts of procedures that write columns of existing rows. */
private[procedures] object BackfillArguments {

  /** Names of columns, each with an expression. */
  val columns: Parameter[Vector[(String, Option[String])]] = Parameter.texts("columns")
  val job: Parameter[Option[String]] = Parameter.text("job_id").optional
  val result: StructType = StructType.fromDDL("version BIGINT NOT NULL")

  /** Runs the backfill, and returns the resulting version. */
  def run(arguments: Arguments, kind: BackfillKind, where: Option[String]): Iterator[Seq[Any]] = {
    val texts = arguments(columns).map { case (name, text) =>
      name -> text.getOrElse(
        throw new LanceUsageException(s"Column '$name' has no expression. For nulls, write 'NULL' in " +
          "quotes.")
      )
    }
    val name = arguments(job).map { id =>
      if (JobFolder.isJob(id)) id
      else throw new LanceUsageException(
        s"'$id' is not a valid job_id. Use letters, digits, dots, hyphens and underscores."
      )
    }
    val options = LanceOptions.sessionWrite
    ColumnExpressions(kind, texts, where, name).write(arguments.location, arguments.dataset, options)
    Iterator(Seq[Any](arguments.latest.version))
  }
}
