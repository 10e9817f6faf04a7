package io.sparklance.spark.write

import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.history.Statement
import io.sparklance.spark.options.CommitOptions
import io.sparklance.spark.types.{Defaults, ReadTypeOptions, SchemaConverter}
import io.sparklance.table.transaction.{BatchId, RememberedBatches}

/** The table that a streaming query writes to. Each epoch goes to the table's latest version.
  *
  * @param begun
  *   the table when the query started
  * @param mode
  *   the query's output mode
  * @param fields
  *   the fields of the files
  */
final private[write] class StreamTarget(
    name: String,
    begun: Dataset,
    info: LogicalWriteInfo,
    options: CommitOptions,
    mode: String,
    fields: Dataset => LanceSchema,
    publication: (Dataset, CommitOptions) => WriteCommit
) {

  private var known = begun

  /** Returns the commit of an epoch, as a batch of the query. The batch has the same name after a restart. */
  def epoch(number: Long): WriteCommit =
    publication(
      latest,
      options.copy(
        batch = Some(BatchId(info.queryId, number, isRemembered = true, queryName)),
        statement = Some(statement(number))
      )
    )

  private def queryName: Option[String] = Option(info.options.get("queryName"))

  private def statement(epoch: Long): Statement = Statement(
    "STREAMING UPDATE",
    Map("outputMode" -> mode, "queryId" -> info.queryId, "epochId" -> epoch.toString)
  )

  /** Returns the latest version, whose columns must be those at the query's start. If clean-up has removed
    * the last known version while the query waited for rows, it opens the table again.
    */
  private def latest: Dataset = {
    val now = known.refreshed("streaming write").getOrElse(Dataset.open(begun.store, begun.root))
    if (fields(now).fields != fields(begun).fields)
      throw new LanceUsageException(
        s"The columns of $name were changed in version ${now.version} or before, while a streaming query " +
          "writes to it. Start the query again: it continues where it stopped."
      )
    known = now
    now
  }

  /** Checks the query before it writes. */
  def check(): Unit = {
    checkColumns()
    queryName.flatMap { mine =>
      begun.rememberedBatches.find(b => b.name.contains(mine) && b.application != info.queryId)
    }.foreach(other => throw StreamTarget.lostCheckpoint(name, other, info.queryId))
  }

  /** Checks the rows' columns against the table's. Spark does not for streams. */
  private def checkColumns(): Unit = {
    val (rows, table) = (info.schema, SchemaConverter.toSpark(begun.schema, ReadTypeOptions.written))
    def misfit(what: String, cure: String = "Select and cast them to these.") = new LanceUsageException(
      s"The rows of the stream $what; the columns of $name are ${table.toDDL}. $cure"
    )
    if (options.uncommitted.isDefined)
      throw new LanceUsageException("Option 'uncommitted' has no meaning for a stream. Leave it out.")
    rows.fieldNames.diff(table.fieldNames).headOption.foreach { extra =>
      throw misfit(s"have a column '$extra', which the table lacks")
    }
    table.foreach { column =>
      rows.find(_.name == column.name) match {
        case Some(found) if found.nullable && !column.nullable =>
          throw misfit(s"may have nulls in '${column.name}'", WithoutNulls)
        case Some(found) if !fits(found.dataType, column.dataType) =>
          throw misfit(s"have '${column.name}' as ${found.dataType.catalogString}")
        case None if column.metadata.contains(Defaults.Current) =>
          throw misfit(s"lack the column '${column.name}', whose DEFAULT streams do not write", WithDefault)
        case None if !column.nullable || options.sink.mergeKeys.isDefined =>
          throw misfit(s"lack the column '${column.name}'")
        case _ => ()
      }
    }
    if (!table.exists(column => rows.exists(_.name == column.name))) throw misfit("have no column")
  }

  private val WithDefault = "Select its value as a column of the rows."

  private val WithoutNulls =
    "Replace them, for example with coalesce. From Spark 4.3 on, Spark declares all columns of a query " +
      "with aggregates nullable, unless " +
      "spark.sql.streaming.statefulOperator.alwaysNullableOutput.enabled is false when the query is " +
      "first started."

  private def fits(rows: DataType, table: DataType): Boolean = (rows, table) match {
    case (a: StructType, b: StructType) =>
      a.fieldNames.sameElements(b.fieldNames) && a.fields.zip(b.fields).forall { case (x, y) =>
        fits(x.dataType, y.dataType) && (y.nullable || !x.nullable)
      }
    case (ArrayType(a, nulls), ArrayType(b, mayBe)) => fits(a, b) && (mayBe || !nulls)
    case (MapType(k, a, nulls), MapType(l, b, mayBe)) => fits(k, l) && fits(a, b) && (mayBe || !nulls)
    case (a, b) => a == b
  }
}

private[write] object StreamTarget {

  /** Error for a checkpoint that is older than the table. */
  def setBack(table: Dataset, batch: BatchId, committed: BatchId): LanceUsageException =
    new LanceUsageException(
      s"The streaming query ${batch.application} is at epoch ${batch.number}, but the table at ${table.root} has its epochs up to " +
        s"${committed.number}: files of its checkpoint were lost, or replaced by older ones. Nothing was written. Start the query with " +
        "a new checkpoint, from where the table's rows end."
    )

  /** Error for a query that was started again under its name, but with another checkpoint. */
  private def lostCheckpoint(table: String, known: BatchId, queryId: String) = new LanceUsageException(
    s"The table $table has epochs up to ${known.number} of the streaming query '${known.name.mkString}' (id ${known.application}), but this " +
      s"query of that name has another checkpoint (id $queryId), so it would write rows again. Start it with the earlier checkpoint. If that is " +
      "lost, let the source begin where the table's rows end, and forget the earlier query: " +
      s"CALL lance.system.update_config('<table>', map('${RememberedBatches.Prefix}${known.application}', NULL))."
  )
}
