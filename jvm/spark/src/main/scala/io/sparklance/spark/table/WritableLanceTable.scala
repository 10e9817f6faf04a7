package io.sparklance.spark.table

import java.util.{Map => JMap, Set => JSet}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.{
  SupportsDeleteV2,
  SupportsRowLevelOperations,
  SupportsWrite,
  TableCapability
}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.write.RowLevelOperation.Command
import org.apache.spark.sql.connector.write.{
  LogicalWriteInfo,
  RowLevelOperationBuilder,
  RowLevelOperationInfo,
  WriteBuilder
}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.history.{ShownCondition, Statement}
import io.sparklance.spark.index.ReplacedIndices
import io.sparklance.spark.isolation.{StatementIsolation, StatementReads}
import io.sparklance.spark.options.{
  CommitOptions,
  LanceOptions,
  ReadOptions,
  RowLayout,
  SettledColumns,
  StoreOptions,
  TableProperties,
  WriteOptions
}
import io.sparklance.spark.rowlevel.{
  ColumnsPlan,
  ColumnsSpec,
  DeltaSpec,
  InPlaceColumns,
  LanceDeltaWrite,
  LanceRowLevelOperation,
  ManifestDeletion,
  RowLevelCommit,
  RowLevelScanBuilder,
  StatementPlan
}
import io.sparklance.spark.session.TableLocation
import io.sparklance.spark.types.{BlobHandling, LossyValues, ReadTypeOptions, SchemaConverter}
import io.sparklance.spark.write.{
  LanceWriteBuilder,
  ReplaceAllCommit,
  UpsertTables,
  UpsertWriteBuilder,
  WritePlanner
}
import io.sparklance.table.WriteId
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** The latest version of a table in a catalog, which is writable.
  *
  * @param epoch
  *   options of the commits of a stream's epoch
  */
private[sparklance] class WritableLanceTable(
    name: String,
    location: TableLocation,
    dataset: Dataset,
    catalogProperties: Map[String, String] = Map.empty,
    blobs: Option[BlobHandling] = None,
    epoch: Option[CommitOptions] = None
) extends LanceTable(name, location, dataset)
    with SupportsWrite
    with SupportsDeleteV2
    with SupportsRowLevelOperations
    with IndexedTable {

  /** Returns this table as one that equals none, so that Spark takes no cached rows in its place. */
  private[table] def apart: WritableLanceTable =
    new ApartLanceTable(name, location, dataset, catalogProperties, blobs, epoch)

  /** Returns this table for a statement that writes to it. Its rows contain the bytes of blobs. */
  def toWrite: WritableLanceTable =
    new WritableLanceTable(name, location, dataset, catalogProperties, Some(BlobHandling.Bytes), epoch)

  private var reads = Option.empty[StatementReads]

  /** Tells what the statement that adds rows to this table reads of it, before Spark plans the write. */
  private[table] def readBy(statement: StatementReads): Unit = reads = Some(statement)

  override protected def readTypes: ReadTypeOptions =
    blobs.fold(super.readTypes)(how => super.readTypes.copy(blobs = how))

  override protected def shown(read: ReadOptions): ReadOptions =
    blobs.fold(read)(how => read.copy(readTypes = read.readTypes.copy(blobs = how)))

  override def capabilities(): JSet[TableCapability] = LanceTable.Writable

  override def properties(): JMap[String, String] =
    (dataset.tableMetadata ++ settings ++ LanceTable.properties(location).asScala).asJava

  /** The table's config, overridden by the catalog's properties. */
  private def settings: Map[String, String] = dataset.config ++ catalogProperties

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = translating {
    refuseRaw()
    val options = writeOptions(info.options)
    SettledColumns.check(options.creation.columns, name, dataset.schema)
    val planner = options.branch.fold(this)(onBranch).existing(info)
    options.commit.sink.mergeKeys.fold[WriteBuilder](new LanceWriteBuilder(planner))(new UpsertWriteBuilder(
      planner,
      _
    ))
  }

  /** Returns the table of a branch. Its columns must equal this table's, with which Spark has checked the
    * rows.
    */
  private def onBranch(branch: String): WritableLanceTable = {
    val place = location.ofBranch(branch)
    if (place == location) this
    else {
      val there = Dataset.open(place.store, place.root)
      if (SchemaConverter.toSpark(there.schema, ReadTypeOptions.written) != schema())
        throw new LanceUsageException(
          s"The branch '$branch' of $name has other columns: ${there.schema.fields.map(_.name).mkString(", ")}. Write to it " +
            s"by its path, $place."
        )
      new WritableLanceTable(name, place, there, catalogProperties, blobs)
    }
  }

  private def existing(
      info: LogicalWriteInfo,
      statement: Option[StatementReads] = reads
  ): WritePlanner =
    new WritePlanner(
      name,
      location,
      dataset,
      info,
      writeOptions(info.options),
      LanceTable.followers(location, upserting),
      isolation(statement)
    )

  private def isolation(statement: Option[StatementReads]): StatementIsolation =
    new StatementIsolation(statement, new LanceTable(name, location, _))

  /** Returns the tables of a MERGE of uncommitted files into a version. */
  private def upserting(now: Dataset, options: CommitOptions, files: Vector[WrittenFile]): UpsertTables = {
    def table(version: Dataset) =
      new WritableLanceTable(
        name,
        location,
        version,
        catalogProperties,
        Some(BlobHandling.Bytes),
        Some(options)
      )
    UpsertTables(table(now), table(now.ofFiles(files, s"rows of a stream, ${options.batch.mkString}")))
  }

  private def writeOptions(options: CaseInsensitiveStringMap): WriteOptions = {
    val all = TableProperties.over(settings, options)
    StoreOptions.of(all).check(name, location)
    LanceOptions.forWrite(all)
  }

  /** Refuses writes if the session shows columns in types that cannot be written. */
  private def refuseRaw(): Unit =
    if (
      schema().map(_.dataType) !=
        SchemaConverter.toSpark(dataset.schema, ReadTypeOptions.written).map(_.dataType)
    )
      throw new LanceUsageException(
        s"Columns of $name are shown in types that cannot be written: blobs as descriptors " +
          "(spark.datasource.lance.blobHandling), or values as stored " +
          "(spark.datasource.lance.lossyValues). To write, set the former to 'bytes' for the session, " +
          "and unset the latter."
      )

  override def truncateTable(): Boolean = translating {
    val all = writeOptions(CaseInsensitiveStringMap.empty)
    refuseBranch(all)
    val options = all.commit
    val statement = Statement.truncate(dataset)
    val commit = new ReplaceAllCommit(
      dataset,
      options.copy(statement = Some(statement)),
      ReplacedIndices.plan(location, dataset, dataset.schema, options)
    )
    commit.publish(Vector.empty).foreach(commit.follow)
    true
  }

  override def canDeleteWhere(predicates: Array[Predicate]): Boolean = translating {
    ManifestDeletion.rows(dataset, predicates).isDefined
  }

  override def deleteWhere(predicates: Array[Predicate]): Unit = translating {
    ManifestDeletion.rows(dataset, predicates).foreach { rows =>
      val options = committing(writeOptions(CaseInsensitiveStringMap.empty))
      ManifestDeletion.commit(dataset, rows, ShownCondition.of(predicates), options)
    }
  }

  override def newRowLevelOperationBuilder(info: RowLevelOperationInfo): RowLevelOperationBuilder =
    translating {
      val command = info.command
      if (command != Command.DELETE) refuseRaw()
      () =>
        translating {
          val inPlace = new InPlaceColumns(dataset, writeOptions(info.options))
          new LanceRowLevelOperation(dataset, command, rowsOf(command), changes(command), inPlace)
        }
    }

  /** Returns the commit options for changes of rows. Refuses `uncommitted`, because the commit merges
    * deletions with the table's latest state.
    */
  private def committing(options: WriteOptions): CommitOptions = {
    refuseBranch(options)
    if (options.commit.uncommitted.isDefined)
      throw new UnsupportedLanceFeatureException("option 'uncommitted' with DELETE, UPDATE or MERGE")
    epoch.getOrElse(options.commit)
  }

  /** Refuses a session's branch for statements that read or change the table of their name. */
  private def refuseBranch(options: WriteOptions): Unit =
    options.branch.filter(location.ofBranch(_) != location).foreach { branch =>
      throw new LanceUsageException(
        s"Option 'branch' is '$branch', but DELETE, UPDATE, MERGE and TRUNCATE change the rows of the table that they name, " +
          s"$name. Name the branch by its path, ${location.ofBranch(branch)}, and leave the option out."
      )
    }

  /** Scan for changed rows. Values that are written again must be exact. */
  private def rowsOf(command: Command)(options: CaseInsensitiveStringMap): ScanBuilder = {
    val read = shown(LanceOptions.forRead(options))
    val readTypes = command match {
      case Command.DELETE => read.readTypes
      case Command.UPDATE | Command.MERGE => read.readTypes.copy(lossyValues = LossyValues.Refuse)
    }
    new RowLevelScanBuilder(scanBuilder(read.copy(readTypes = readTypes)).rechecking)
  }

  private def inPlace(info: LogicalWriteInfo, plan: ColumnsPlan, planner: WritePlanner): DeltaSpec = {
    val write = WriteId.random()
    val columns =
      ColumnsSpec.of(location, dataset, plan, info.schema, writeOptions(info.options).limits, write)
    def rows = planner.changing.copy(write = write)
    if (plan.mayMove)
      DeltaSpec.changing(info, rows, dataset.hasStableRowIds).copy(columns = Some(columns))
    else DeltaSpec.inPlace(info, columns, Option.when(plan.inserts)(rows))
  }

  /** Without our extension, nobody tells what a statement reads. */
  private def changes(
      command: Command
  )(info: LogicalWriteInfo, statement: StatementPlan): LanceDeltaWrite = {
    val known = statement.reads.getOrElse(StatementIsolation.unknown(command))
    def planner = existing(info, Some(known))
    val spec = (command, statement.columns) match {
      case (Command.DELETE, _) => DeltaSpec.deleting(info)
      case (Command.UPDATE | Command.MERGE, Some(plan)) =>
        inPlace(info, plan, planner)
      case (Command.UPDATE | Command.MERGE, None) =>
        DeltaSpec.changing(info, planner.changing, dataset.hasStableRowIds)
    }
    val options = writeOptions(info.options)
    val changed = new RowLevelCommit(
      dataset,
      command,
      committing(options),
      isolation(Some(known)),
      spec.keys,
      statement.columns.map(_.columns)
    )
    new LanceDeltaWrite(location, spec, changed, RowLayout(taskBytes = options.layout.taskBytes))
  }
}
