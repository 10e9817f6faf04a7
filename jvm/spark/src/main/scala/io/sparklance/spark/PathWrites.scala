package io.sparklance.spark

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{AnalysisException, DataFrame, SaveMode}

import io.sparklance.dataset.Dataset
import io.sparklance.spark.backfill.BackfillResolver
import io.sparklance.spark.catalog.RacedCreation
import io.sparklance.spark.options.{
  CommitOptions,
  LanceOptions,
  PathOptions,
  RowLayout,
  StatementContext,
  StoreOptions,
  WriteOptions
}
import io.sparklance.spark.session.{LanceCatalogs, PlainNames, Session, SqlNames, TableLocation}
import io.sparklance.spark.types.{ReadTypeOptions, SchemaConverter}
import io.sparklance.spark.write.WriteCommit
import io.sparklance.{LanceUsageException, RetryableCommitConflictException}

/** Translates `df.write.format("lance").mode(…).save(path)` to `df.writeTo`. */
private[spark] object PathWrites {

  def save(mode: SaveMode, options: CaseInsensitiveStringMap, data: DataFrame): Unit = {
    refuseLayout(options)
    val write = LanceOptions.forWrite(options)
    val location = write.branch.foldLeft(PathOptions.location(options))(_.ofBranch(_))
    write.backfill.fold(saveRows(mode, options, write, location, data)) { asked =>
      if (mode != SaveMode.Append)
        throw new LanceUsageException(
          s"Option 'columns' writes columns of existing rows, so mode $mode has no meaning. Use mode " +
            "append."
        )
      write.creation.columns.all.headOption.foreach { setting =>
        throw new LanceUsageException(
          s"'${setting.text}' cannot be combined with option 'columns'. Set it as metadata of the " +
            s"column: withMetadata('${setting.path.head}', …)."
        )
      }
      val dataset = Dataset.open(location.store, location.root, asked.version)
      new BackfillResolver(location, dataset, asked, write).write(data)
    }
  }

  private def saveRows(
      mode: SaveMode,
      options: CaseInsensitiveStringMap,
      write: WriteOptions,
      location: TableLocation,
      data: DataFrame
  ): Unit = {
    // The name identifies the table. With a path among the options, Spark would also set a LOCATION.
    def writer(name: String, rows: DataFrame) = PlainNames.keeping {
      rows.writeTo(s"${LanceCatalogs.ofPaths(data.sparkSession)}.$name")
    }.options(passedOn(options))
    def table = writer(SqlNames.quoted(location.uri), data)
    val exists = Dataset.exists(location.store, location.root)
    def save(): Unit = mode match {
      // The batch was committed before, so the query need not run.
      case SaveMode.Append | SaveMode.Overwrite if exists && isDone(location, write.commit) => ()
      case SaveMode.Append if exists && write.changes.mergeSchema =>
        val rows = completed(data, SchemaConverter.toSpark(open(location).schema, ReadTypeOptions.written))
        writer(
          StatementContext.mergeTarget(location.uri, write.creation.columns.applyTo(rows.schema)),
          rows
        ).append()
      case SaveMode.Append if exists => FurtherColumns.named(data.schema, location)(table.append())
      case SaveMode.Append => RacedCreation.ifLost(e => throw cameFirst(location, e))(table.create())
      case SaveMode.Overwrite => table.using(LanceCatalogs.Format).createOrReplace()
      case SaveMode.Ignore if exists => ()
      case SaveMode.Ignore => RacedCreation.ifLost(_ => ())(table.create())
      case SaveMode.ErrorIfExists if exists => throw isThere(location)
      case SaveMode.ErrorIfExists => RacedCreation.ifLost(e => throw isThere(location, e))(table.create())
    }
    StatementContext.withStoreOptions(location.uri, StoreOptions.of(options)) {
      StatementContext.withWrite(mode.toString)(save())
    }
  }

  private def isThere(location: TableLocation, cause: Throwable = null) = new LanceUsageException(
    s"There is a Lance table at $location already. Choose another path, or a mode: append, overwrite, ignore.",
    cause
  )

  /** A table that was missing when the write began. */
  private def cameFirst(location: TableLocation, cause: Throwable) = new RetryableCommitConflictException(
    s"There is a Lance table at $location already: another writer created it during this write. Nothing was committed; write again.",
    cause
  )

  /** Removes path and branch, which the table's name contains, and file system settings, which Spark would
    * show in the plan.
    */
  private def passedOn(options: CaseInsensitiveStringMap) =
    options.asCaseSensitiveMap.asScala.filterNot { case (key, _) =>
      placing.exists(_.equalsIgnoreCase(key)) || StoreOptions.isSetting(key)
    }

  private val placing = Seq("path", LanceOptions.Branch.name)

  private def open(location: TableLocation): Dataset = Dataset.open(location.store, location.root)

  private def isDone(location: TableLocation, commit: CommitOptions): Boolean =
    commit.batch.isDefined && WriteCommit.isDone(open(location), commit)

  /** Adds columns that the rows may lack, with their default or null. */
  private def completed(rows: DataFrame, table: StructType): DataFrame =
    MergedAppends.absent(rows.schema, table).foldLeft(rows) { (all, column) =>
      all.withColumn(column.name, expr(MergedAppends.default(column)).cast(column.dataType))
    }

  private def refuseLayout(options: CaseInsensitiveStringMap): Unit = {
    val asked = Map("__partition_columns" -> "partitionBy", "__clustering_columns" -> "clusterBy")
    asked.find { case (key, _) => options.containsKey(key) }.foreach { case (_, method) =>
      throw RowLayout.noPartitions(method)
    }
  }
}

/** Columns of rows that the table lacks to which they are appended. */
private[spark] object FurtherColumns {

  /** Spark's conditions of appends that may have them; none knows `mergeSchema`. */
  private val conditions = Set(
    "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS",
    "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_FIND_DATA",
    "INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS",
    "INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_STRUCT_FIELDS"
  )

  /** Appends rows; names their further columns and the cure where Spark refuses them. */
  def named(rows: StructType, location: TableLocation)(append: => Unit): Unit =
    try append
    catch {
      case e: AnalysisException if conditions(e.getCondition) =>
        val table =
          SchemaConverter.toSpark(Dataset.open(location.store, location.root).schema, ReadTypeOptions.written)
        val further = of(rows, table)
        throw (if (further.isEmpty) e else refusal(further, location, e))
    }

  private[spark] def of(rows: StructType, table: StructType): Vector[String] =
    rows.fields.toVector.flatMap { column =>
      table.find(stored => Session.alike(stored.name, column.name)).fold(Vector(column.name))(within(
        column,
        _
      ))
    }

  private def within(column: StructField, stored: StructField): Vector[String] =
    (column.dataType, stored.dataType) match {
      case (fields: StructType, known: StructType) => of(fields, known).map(name => s"${column.name}.$name")
      case (_, _) => Vector.empty
    }

  private def refusal(further: Vector[String], location: TableLocation, cause: Throwable) =
    new LanceUsageException(
      s"The rows have columns that the table at $location lacks: ${further.mkString(", ")}. Give option 'mergeSchema' = 'true' " +
        "to add them to the table, or leave them out of the rows.",
      cause
    )
}
