package io.sparklance.spark.catalog

import java.util.{Map => JMap, Set => JSet}

import org.apache.spark.sql.connector.catalog.{StagedTable, SupportsWrite, TableCapability}
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.types.StructType

import io.sparklance.data.FileVersion
import io.sparklance.dataset.write.WriteSchema
import io.sparklance.dataset.{Dataset, TableDefinition}
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.history.Making
import io.sparklance.spark.index.ReplacedIndices
import io.sparklance.spark.options.{ColumnSettings, LanceOptions, StatementContext, TableProperties}
import io.sparklance.spark.session.TableLocation
import io.sparklance.spark.table.LanceTable
import io.sparklance.spark.types.SchemaConverter
import io.sparklance.spark.write.{
  DataFiles,
  LancePlannedWrite,
  NewTableWriteBuilder,
  RowToBlocks,
  SmallFragments,
  StagedCommit,
  UncommittedFiles,
  WriteCommit,
  WriteSpec
}
import io.sparklance.table.WriteId
import io.sparklance.table.commit.CommitOutcome
import io.sparklance.table.transaction.{Operation, Transaction}
import io.sparklance.{LanceUsageException, RetryableCommitConflictException}

/** A table that a statement creates or replaces. Its tasks write files, but only [[commitStagedChanges]]
  * makes a version.
  *
  * @param replaced
  *   the snapshot that the statement replaces
  * @param hook
  *   steps that the catalog takes around the commit
  * @param settings
  *   properties that the table itself keeps; they become part of the same version
  * @param making
  *   the statement without AS SELECT
  */
final private[spark] class StagedLanceTable(
    override val name: String,
    location: TableLocation,
    request: TableRequest,
    replaced: Option[Dataset],
    hook: CatalogHook = CatalogHook.Idle,
    settings: Option[Operation.UpdateConfig] = None,
    making: Making = Making.Create
) extends StagedTable
    with SupportsWrite {
  private val staged =
    new StagedCommit(isDone, replaced.fold("create")(table => s"version ${table.version}, replace"))
  private val writeId = WriteId.random()
  private var options = request.options
  private var lanceSchema = schemaWith(options.creation.columns)
  private val saved = StatementContext.write
  private var bringsRows = false
  private var next = Option.empty[CommitOutcome => Unit]
  private var yields = false
  private lazy val isDone = replaced.exists(WriteCommit.isDone(_, options.commit))
  private val uncommitted = new UncommittedFiles(location, writeId)

  override def schema(): StructType = request.declared
  override def capabilities(): JSet[TableCapability] =
    JSet.of(TableCapability.BATCH_WRITE, TableCapability.TRUNCATE)
  override def properties(): JMap[String, String] = LanceTable.properties(location)
  override def toString: String = s"$name (lance, not yet committed)"

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = translating {
    LanceOptions.refuseBranch(info.options)
    bringsRows = true
    yields = IfNotExists.isIn(info.options)
    options =
      LanceOptions.forWrite(TableProperties.over(request.ownProperties, request.settings(info.options)))
    options.layout.check(info.schema)
    if (options.commit.uncommitted.isDefined && hook != CatalogHook.Idle) throw uncommittedName
    if (options.commit.uncommitted.isDefined && settings.isDefined) throw uncommittedSettings
    lanceSchema = schemaWith(options.creation.columns)
    RowToBlocks.refuseUnwritable(lanceSchema, version)
    next = Some(following)
    val _ = options.limits.apart.in(lanceSchema)
    val spec = WriteSpec(
      location,
      lanceSchema,
      version,
      options.limits,
      WriteSpec.ordinals(lanceSchema, info.schema),
      writeId
    )
    new NewTableWriteBuilder(new LancePlannedWrite(spec, staged, options.layout, options.commit.sink))
  }

  override def commitStagedChanges(): Unit = translating {
    if (!isDone) {
      val follow = next.getOrElse(following)
      settled().foreach(follow)
    }
  }

  /** Commits, unless another writer has created the table and this statement yields to it. */
  private def settled(): Option[CommitOutcome] =
    try {
      val outcome = uncommitted.commit(publish())
      outcome.foreach(DataFiles.settle(location, writeId, _))
      hook.settle()
      outcome match {
        case Some(CommitOutcome.Repeated(_)) => ()
        case Some(CommitOutcome.Committed(_, _, _)) | None =>
          SmallFragments.warn(location.toString, staged.files)
      }
      outcome
    } catch {
      case _: RetryableCommitConflictException if yields && replaced.isEmpty =>
        abortStagedChanges()
        None
    }

  /** Returns what becomes of the old table's indices after the commit. Fails if that is not possible. */
  private def following: CommitOutcome => Unit = replaced.filterNot(_ => isDone) match {
    case Some(old) => ReplacedIndices.plan(location, old, lanceSchema, options.commit)
    case None => _ => ()
  }

  /** Returns the outcome of the commit if it replaces a table: others may have committed to that meanwhile.
    */
  private def publish(): Option[CommitOutcome] = {
    val (store, root) = (location.store, location.root)
    val definition =
      TableDefinition(lanceSchema, version, options.creation.identity, request.config, settings)
    def operation = Dataset.replacing(definition, staged.files)
    val statement = saved.getOrElse(making.statement(bringsRows))
    val properties = statement.properties(operation, replaced) ++ options.commit.properties
    (options.commit.uncommitted, replaced) match {
      case (Some(uuid), Some(dataset)) =>
        dataset.keepUncommitted(uuid, operation, properties)
        None
      case (Some(uuid), None) =>
        Dataset.keepUncommitted(store, root, Transaction(0, uuid, operation, properties = properties))
        None
      case (None, Some(dataset)) => Some(dataset.commit(operation, properties).commit)
      case (None, None) =>
        val _ = Dataset.create(store, root, definition, staged.files, properties)
        None
    }
  }

  private def uncommittedName = new LanceUsageException(
    s"Option 'uncommitted' cannot create $name, since a catalog registers a table only once it is committed. Leave the option out, or " +
      "write to a path."
  )

  private def uncommittedSettings = new LanceUsageException(
    s"Option 'uncommitted' cannot create $name, since an uncommitted transaction cannot carry the table's properties. Leave out the " +
      "option or the properties."
  )

  override def abortStagedChanges(): Unit = translating {
    if (uncommitted.abandon()) hook.undo()
  }

  private def schemaWith(columns: ColumnSettings): LanceSchema =
    WriteSchema.forVersion(SchemaConverter.toLance(columns.applyTo(request.declared)), version)

  private def version: FileVersion = options.creation.dataStorageVersion
    .orElse(replaced.map(_.fileVersion).filter(FileVersion.writable.contains))
    .getOrElse(LanceOptions.DataStorageVersion.default)
}
