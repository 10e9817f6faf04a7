package io.sparklance.spark.procedures

import io.sparklance.LanceUsageException
import io.sparklance.dataset.backfill.JobFolder
import io.sparklance.spark.backfill.{ColumnExpressions, QueryColumns}
import io.sparklance.spark.options.{BackfillKind, BackfillOptions, LanceOptions}

/** Procedures that write columns of existing rows, and nothing but these. */
private[procedures] object BackfillProcedures {

  /** Names of columns, each with an expression. */
  private val columns = Parameter.texts("columns")
  private val job = Parameter.text("job_id").optional
  private val where = Parameter.text("where").optional

  /** A query for the values: the expressions are over its columns then. */
  private val query = Parameter.text("query").optional

  /** Columns of the table that the query's rows have, too, and that say which rows they belong to. */
  private val keys = Parameter.names("keys").optional

  val all: Vector[LanceProcedure] = Vector(
    LanceProcedure(
      "add_columns",
      "Adds columns with values of expressions, and writes nothing but these.",
      Vector(columns, Parameter.version, job, query, keys),
      "version BIGINT NOT NULL"
    )(addColumns),
    LanceProcedure(
      "update_columns",
      "Sets columns of existing rows to the values of expressions, and writes only these columns.",
      Vector(columns, where, Parameter.version, job, query, keys),
      "version BIGINT NOT NULL"
    )(updateColumns)
  )

  private def addColumns(arguments: Arguments): Iterator[Seq[Any]] =
    run(arguments, BackfillKind.Add, where = None)

  private def updateColumns(arguments: Arguments): Iterator[Seq[Any]] =
    run(arguments, BackfillKind.Update, arguments(where))

  /** Runs the backfill, and returns the resulting version. */
  private def run(arguments: Arguments, kind: BackfillKind, where: Option[String]): Iterator[Seq[Any]] = {
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
    arguments(query) match {
      case None =>
        if (arguments(keys).isDefined) throw new LanceUsageException(
          "Argument 'keys' says how rows of a query are found in the table, but there is no 'query'. Give one, or leave 'keys' out."
        )
        ColumnExpressions(kind, texts, where, name).write(arguments.location, arguments.dataset, options)
      case Some(text) =>
        if (where.isDefined) throw new LanceUsageException(
          "Argument 'where' is for expressions over the table's own rows, but there is a 'query'. Filter the rows in the query."
        )
        val on = arguments(keys).getOrElse(Vector.empty)
        // The version is fixed before the query is resolved, which then reads this version or a later one.
        QueryColumns(texts, text, BackfillOptions(kind, on, name))
          .write(arguments.location, arguments.dataset, options)
    }
    Iterator(Seq[Any](arguments.latest.version))
  }
}
