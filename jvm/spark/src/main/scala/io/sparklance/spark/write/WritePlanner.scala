package io.sparklance.spark.write

import org.apache.spark.sql.connector.expressions.filter.{Predicate => SparkPredicate}
import org.apache.spark.sql.connector.write.LogicalWriteInfo

import io.sparklance.LanceUsageException
import io.sparklance.data.FileVersion
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.write.{WriteSchema, WrittenFile}
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.isolation.{MergeReads, Phantoms, StatementIsolation, StatementReads}
import io.sparklance.spark.options.{CommitOptions, Isolation, LanceOptions, WriteOptions}
import io.sparklance.spark.read.Pushdown
import io.sparklance.spark.session.TableLocation
import io.sparklance.spark.types.LossyValues
import io.sparklance.table.WriteId
import io.sparklance.table.commit.CommitOutcome

/** Plans writes to an existing table. Nothing is written before tasks run.
  *
  * @param follow
  *   what follows a commit if the options say so
  * @param isolation
  *   compares the statement with rows of others
  */
final private[spark] class WritePlanner(
    name: String,
    location: TableLocation,
    dataset: Dataset,
    info: LogicalWriteInfo,
    options: WriteOptions,
    follow: WriteFollowers,
    isolation: StatementIsolation = StatementIsolation.none
) {
  check()

  /** Plans an append. */
  def adding: LancePlannedWrite = {
    if (isolation.reads.exists(_.command == MergeReads.Command)) refuseUncommitted("a MERGE")
    planned(
      brought(dataset.schema),
      new AppendCommit(dataset, options.commit, isolation, keys),
      Some(stream("Append", _.schema, new AppendCommit(_, _)))
    )
  }

  /** Plans an overwrite of all rows. */
  def replacing: LancePlannedWrite = {
    val publication = replacingAll(dataset, options.commit)
    publication.check()
    planned(
      brought(WriteSchema.forNewTable(dataset.schema)),
      publication,
      Some(stream("Complete", now => WriteSchema.forNewTable(now.schema), replacingAll))
    )
  }

  private def replacingAll(now: Dataset, commit: CommitOptions) =
    new ReplaceAllCommit(now, commit, follow.indices(now, now.schema, commit))

  /** Plans a merge of a stream's rows by key. */
  def merging(keys: Vector[String]): LancePlannedWrite = {
    UpsertKeys.check(keys, info.schema, name)
    val publication = new UpsertCommit(_, keys, _, follow.tables)
    planned(
      dataset.schema,
      publication(dataset, options.commit),
      Some(stream("Update", _.schema, publication))
    )
  }

  /** Plans an append with new columns. */
  def merging(schema: LanceSchema): LancePlannedWrite = {
    refuseUncommitted("new columns")
    planned(schema, new MergeCommit(dataset, schema, options.commit))
  }

  /** Plans an overwrite of the rows that match a predicate.
    *
    * @param condition
    *   the predicate as Spark writes it
    */
  def replacingWhere(predicate: Predicate, condition: String): LancePlannedWrite = {
    refuseUncommitted("an overwrite of some rows")
    val reads = StatementReads("overwrite", Phantoms.Satisfying(predicate), Isolation.Snapshot)
    val publication =
      new ReplaceWhereCommit(dataset, predicate, condition, options.commit, isolation.reading(reads))
    planned(dataset.schema, publication)
  }

  private def refuseUncommitted(what: String): Unit = if (options.commit.uncommitted.isDefined)
    throw new LanceUsageException(
      s"Option 'uncommitted' works with appends and overwrites, but not with $what, which depends on the " +
        "rows that exist at the commit. Leave it out."
    )

  /** Plans changes of rows. */
  def changing: WriteSpec = spec(dataset.schema)

  /** Translates the conjunction of Spark's conditions to stored values; None if one cannot be translated
    * exactly.
    */
  def predicate(conditions: Array[SparkPredicate]): Option[Predicate] = {
    val known = new Pushdown(dataset.schema.fields, LossyValues.Fail)
    val translated = conditions.toVector.map(known.translate)
    Option.when(translated.forall(_.isDefined))(Predicate.all(translated.flatten: _*))
  }

  private def stream(
      mode: String,
      fields: Dataset => LanceSchema,
      publication: (Dataset, CommitOptions) => WriteCommit
  ): StreamTarget =
    new StreamTarget(
      name,
      dataset,
      info,
      options.commit,
      mode,
      fields,
      (now, commit) => compacted(followed(publication(now, commit)), commit)
    )

  private def followed(publication: WriteCommit): WriteCommit =
    if (options.commit.indices.optimizes) new FollowedCommit(publication, follow.optimizeIndices)
    else publication

  /** Lets a compaction follow each n-th epoch, if the options say so. */
  private def compacted(publication: WriteCommit, commit: CommitOptions): WriteCommit = {
    val isDue = for (every <- options.commit.sink.compactEvery; batch <- commit.batch)
      yield (batch.number + 1) % every == 0
    if (isDue.contains(true)) new FollowedCommit(publication, follow.compact) else publication
  }

  private def planned(
      schema: LanceSchema,
      publication: WriteCommit,
      stream: Option[StreamTarget] = None
  ): LancePlannedWrite =
    new LancePlannedWrite(spec(schema), followed(publication), options.layout, options.commit.sink, stream)

  private def spec(schema: LanceSchema): WriteSpec = {
    RowToBlocks.refuseUnwritable(schema, dataset.fileVersion)
    val ordinals = WriteSpec.ordinals(schema, info.schema)
    val others = dataset.schema.fields.filterNot(field => schema.fields.exists(_.name == field.name))
    val _ = options.limits.apart.in(schema.copy(fields = schema.fields ++ others))
    WriteSpec(location, schema, dataset.fileVersion, options.limits, ordinals, WriteId.random(), keys)
  }

  /** The primary key, if the statement is a MERGE by it. */
  private def keys: Option[KeySpec] =
    isolation.reads.flatMap(KeySpec.of(_, dataset.schema, WriteSpec.ordinals(dataset.schema, info.schema)))

  /** Returns the fields of the columns that the rows have, if others may be null. Spark completes the rows of
    * batches, but not those of streams; the files lack these columns then, which are read as null.
    */
  private def brought(schema: LanceSchema): LanceSchema = {
    val rows = info.schema.fieldNames.toSet
    schema.copy(fields = schema.fields.filter(field => rows(field.name) || !field.nullable))
  }

  private def check(): Unit = {
    options.layout.check(info.schema)
    // A session default applies to new tables, so only the statement's own option is compared.
    LanceOptions.DataStorageVersion.in(info.options).filter(_ != dataset.fileVersion).foreach { wanted =>
      throw new LanceUsageException(
        s"Option 'dataStorageVersion' asks for $wanted, but the files of $name have version " +
          s"${dataset.fileVersion}, and a table has only one. Leave the option out, or replace the table."
      )
    }
    if (!FileVersion.writable.contains(dataset.fileVersion))
      throw new LanceUsageException(
        s"The files of $name have version ${dataset.fileVersion}, which is read but not written. Replace the table " +
          "(mode overwrite, or CREATE OR REPLACE TABLE), or raise its version: CALL lance.system.raise_file_version."
      )
  }
}

/** Parts of a write that run after its tasks.
  *
  * @param optimizeIndices
  *   indexes new rows
  * @param indices
  *   plans what becomes of the indices of a version whose rows are replaced by others with these columns
  * @param compact
  *   starts a compaction and does not wait for it
  * @param tables
  *   tables of a MERGE of uncommitted files into a version, whose commit has these options
  */
final private[spark] case class WriteFollowers(
    optimizeIndices: () => Unit,
    indices: (Dataset, LanceSchema, CommitOptions) => CommitOutcome => Unit,
    compact: () => Unit,
    tables: (Dataset, CommitOptions, Vector[WrittenFile]) => UpsertTables
)
