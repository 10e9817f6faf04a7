package io.sparklance.spark.table

import java.time.Instant
import java.util.{Map => JMap, Set => JSet}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.sql.connector.catalog
import org.apache.spark.sql.connector.catalog.{
  Column,
  SupportsDeleteV2,
  SupportsMetadataColumns,
  SupportsRead,
  SupportsRowLevelOperations,
  SupportsWrite,
  Table,
  TableCapability,
  TableCatalog
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
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.dataset.changes.AppendedRows
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.dataset.{Dataset, Reference}
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.history.Statement
import io.sparklance.spark.index.{IndexRefresh, ReplacedIndices}
import io.sparklance.spark.isolation.{StatementIsolation, StatementReads}
import io.sparklance.spark.maintenance.StreamCompaction
import io.sparklance.spark.options.{
  CommitOptions,
  LanceOptions,
  RangeKind,
  RangeRead,
  ReadOptions,
  RowLayout,
  SettledColumns,
  StoreOptions,
  TableProperties,
  WriteOptions
}
import io.sparklance.spark.read.{LanceScanBuilder, ListFilter, Pushdown, ScanIndices, ScanSpec}
import io.sparklance.spark.rowlevel.{
  DeltaSpec,
  LanceDeltaWrite,
  LanceRowLevelOperation,
  ManifestDeletion,
  RowLevelCommit,
  RowLevelScanBuilder
}
import io.sparklance.spark.session.{LanceCatalogs, TableLocation}
import io.sparklance.spark.streams.AppendStreams
import io.sparklance.spark.types.{
  BlobHandling,
  DefaultedColumns,
  LossyValues,
  ReadTypeOptions,
  SchemaConverter,
  SparkMetadataColumn
}
import io.sparklance.spark.write.{
  LanceWriteBuilder,
  MergeBuilder,
  ReplaceAllCommit,
  UpsertTables,
  UpsertWriteBuilder,
  WriteFollowers,
  WritePlanner
}
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** One version of a table, for reading. Later commits do not change it. */
private[sparklance] class LanceTable(
    override val name: String,
    val location: TableLocation,
    val dataset: Dataset
) extends Table
    with SupportsRead
    with SupportsMetadataColumns {
  private lazy val stored = SchemaConverter.toSpark(dataset.schema, readTypes)

  /** Options that choose Spark types for the columns. */
  protected def readTypes: ReadTypeOptions = LanceOptions.readTypes(CaseInsensitiveStringMap.empty)

  override def schema(): StructType = translating(stored)

  override def columns(): Array[Column] = DefaultedColumns.of(schema())

  override def capabilities(): JSet[TableCapability] = LanceTable.Readable
  override def properties(): JMap[String, String] = LanceTable.properties(location)
  override def metadataColumns(): Array[catalog.MetadataColumn] =
    MetadataColumn.all.map(SparkMetadataColumn(_): catalog.MetadataColumn).toArray
  override def toString: String = s"$name (lance, version ${dataset.version})"

  // Spark finds cached plans by equality. The time distinguishes the table from a dropped one with the same
  // version.
  private def identity: (Class[_], String, TableLocation, Long, Instant, StructType) =
    (getClass, name, location, dataset.version, dataset.timestamp, schema())

  override def equals(other: Any): Boolean = other match {
    case that: LanceTable => identity == that.identity
    case _ => false
  }
  override def hashCode: Int = (name, location, dataset.version).hashCode

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = translating {
    val read = shown(LanceOptions.forRead(options))
    if (SchemaConverter.toSpark(dataset.schema, read.readTypes) != schema()) throw typesChange(read.readTypes)
    refuseOtherVersion(read, options)
    refuseMetadata(options)
    refuseSchema(options)
    refuseSearch(options)
    refuseFeed(read)
    StoreOptions.of(options).check(name, location)
    scanBuilder(read)
  }

  /** Returns this table with filters on lists that Spark evaluates on each row. */
  private[table] def listing(filters: Vector[ListFilter]): LanceTable =
    if (filters.isEmpty) this else new ListedLanceTable(this, filters)

  /** Returns the read options in effect: a table may fix some of them. */
  protected def shown(read: ReadOptions): ReadOptions = read

  final protected def scanBuilder(read: ReadOptions): LanceScanBuilder = {
    lazy val rows = read.range.fold(dataset)(LanceTable.appended(dataset, _))
    val spec =
      ScanSpec(
        dataset.schema.fields,
        read.batchSize,
        read.readTypes,
        read.split,
        indices = ScanIndices(read.indices.filter(_ => read.range.isEmpty))
      )
    val pushdown =
      Option.when(read.pushDownFilters)(new Pushdown(dataset.schema.fields, read.readTypes.lossyValues))
    val place = location.copy(tuning = read.tuning)
    new LanceScanBuilder(
      rows,
      place,
      spec,
      pushdown,
      takesAggregates = GuardedConditions.isInstalled,
      Some(new AppendStreams(dataset, place, read.stream))
    )
  }

  /** Error for read options that change types after Spark resolved the table's schema. */
  private def typesChange(readTypes: ReadTypeOptions): LanceUsageException = new LanceUsageException(
    s"Options 'lossyValues' = '${readTypes.lossyValues.name}' and 'blobHandling' = " +
      s"'${readTypes.blobs.name}' give columns of $name other types than Spark has resolved. Set " +
      "spark.datasource.lance.lossyValues and spark.datasource.lance.blobHandling for the session, or " +
      "read the table by its path, with the options."
  )

  private def refuseMetadata(options: CaseInsensitiveStringMap): Unit =
    LanceOptions.MetadataTableOption.in(options).foreach { kind =>
      throw new LanceUsageException(
        s"Option 'metadataTable' is for paths: $name was already resolved as a table. Use " +
          s"$name.${kind.name} instead."
      )
    }

  private def refuseSchema(options: CaseInsensitiveStringMap): Unit =
    LanceOptions.SchemaOption.in(options).foreach { _ =>
      throw new LanceUsageException(
        s"Option 'schema' is for paths: $name was already resolved as a table. Name the columns in SELECT instead."
      )
    }

  private def refuseSearch(options: CaseInsensitiveStringMap): Unit =
    Vector(
      LanceOptions.Nearest -> "lance_vector_search",
      LanceOptions.FullTextQuery -> "lance_fts",
      LanceOptions.HybridSearch -> "lance_hybrid_search"
    ).foreach { case (option, function) =>
      option.in(options).foreach { _ =>
        throw new LanceUsageException(
          s"Option '${option.name}' is for paths: $name was already resolved as a table. Use the table function " +
            s"$function instead."
        )
      }
    }

  private def refuseFeed(read: ReadOptions): Unit =
    if (read.range.exists(_.kind != RangeKind.Appended))
      throw new LanceUsageException(
        s"Option 'readChangeFeed' is for paths: $name was already resolved as a table. Use the table function " +
          "lance_table_changes instead."
      )

  /** Refuses options that ask for another version: Spark has resolved the version already. */
  private def refuseOtherVersion(read: ReadOptions, options: CaseInsensitiveStringMap): Unit = {
    val inOption = Option(options.get("versionAsOf")).flatMap(_.toLongOption).map(Reference.version)
    if ((read.reference ++ inOption).exists(_ != Reference.version(dataset.version)))
      throw new LanceUsageException(
        s"Options ask for another version of $name, but it was already resolved, at version ${dataset.version}. " +
          "Use SQL's VERSION AS OF or TIMESTAMP AS OF, spark.read.option(\"versionAsOf\", …).table(…), or, with a path, " +
          "spark.read.format(\"lance\").option(\"version\", …).load(…)."
      )
  }
}

private[sparklance] object LanceTable {

  /** Capability of tables that have no streams. */
  val BatchReadable: JSet[TableCapability] = JSet.of(TableCapability.BATCH_READ)

  val Readable: JSet[TableCapability] = JSet.of(TableCapability.BATCH_READ, TableCapability.MICRO_BATCH_READ)

  val Writable: JSet[TableCapability] =
    (Set(
      TableCapability.BATCH_READ,
      TableCapability.MICRO_BATCH_READ,
      TableCapability.BATCH_WRITE,
      TableCapability.STREAMING_WRITE,
      TableCapability.TRUNCATE,
      TableCapability.OVERWRITE_BY_FILTER
    ) ++ schemaEvolution).asJava

  /** Whether `WITH SCHEMA EVOLUTION` may alter the table; Spark asks from 4.1 on. */
  private def schemaEvolution: Option[TableCapability] =
    Try(TableCapability.valueOf("AUTOMATIC_SCHEMA_EVOLUTION")).toOption

  /** Capabilities of a table opened by path. Batch writes do not go through it: see [[LanceDataSource]]. */
  val Streamable: JSet[TableCapability] =
    JSet.of(
      TableCapability.BATCH_READ,
      TableCapability.MICRO_BATCH_READ,
      TableCapability.STREAMING_WRITE,
      TableCapability.TRUNCATE
    )

  /** Returns the parts of a write to a table that run after its tasks. */
  def followers(
      location: TableLocation,
      tables: (Dataset, CommitOptions, Vector[WrittenFile]) => UpsertTables
  ): WriteFollowers = WriteFollowers(
    () => IndexRefresh.afterCommit(location),
    ReplacedIndices.plan(location, _, _, _),
    () => StreamCompaction.start(location),
    tables
  )

  /** Returns the rows that a range of versions has appended. Indices do not tell how these rows were then. */
  private def appended(dataset: Dataset, range: RangeRead): Dataset = {
    val versions = range.versions.getOrElse(
      throw new LanceUsageException(
        "Option 'startingVersion' = 'latest' is for streams, but this is a batch read. Give the number of a version."
      )
    )
    new AppendedRows(dataset).of(versions.of(dataset))
  }

  def properties(location: TableLocation): JMap[String, String] =
    Map(TableCatalog.PROP_PROVIDER -> LanceCatalogs.Format, TableCatalog.PROP_LOCATION -> location.uri).asJava
}

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
      ManifestDeletion.commit(dataset, rows, predicates.mkString(" AND "), options)
    }
  }

  override def newRowLevelOperationBuilder(info: RowLevelOperationInfo): RowLevelOperationBuilder =
    translating {
      val command = info.command
      if (command != Command.DELETE) refuseRaw()
      () =>
        translating(new LanceRowLevelOperation(dataset, command, rowsOf(command), changes(command)))
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

  /** Without our extension, nobody tells what a statement reads. */
  private def changes(
      command: Command
  )(info: LogicalWriteInfo, statement: Option[StatementReads]): LanceDeltaWrite = {
    val known = statement.getOrElse(StatementIsolation.unknown(command))
    val spec = command match {
      case Command.DELETE => DeltaSpec.deleting(info)
      case Command.UPDATE | Command.MERGE =>
        DeltaSpec.changing(info, existing(info, Some(known)).changing, dataset.hasStableRowIds)
    }
    val options = writeOptions(info.options)
    val changed =
      new RowLevelCommit(dataset, command, committing(options), isolation(Some(known)), spec.keys)
    new LanceDeltaWrite(location, spec, changed, RowLayout(taskBytes = options.layout.taskBytes))
  }
}

/** A table that equals no other. */
final private[table] class ApartLanceTable(
    name: String,
    location: TableLocation,
    dataset: Dataset,
    properties: Map[String, String],
    blobs: Option[BlobHandling],
    epoch: Option[CommitOptions]
) extends WritableLanceTable(name, location, dataset, properties, blobs, epoch) {
  override def equals(other: Any): Boolean = this eq other.asInstanceOf[AnyRef]
  override def hashCode: Int = System.identityHashCode(this)
}

/** A table to which rows with new columns are appended.
  *
  * @param merged
  *   the table's columns and the new ones
  */
final private[sparklance] class MergingLanceTable(
    name: String,
    location: TableLocation,
    dataset: Dataset,
    merged: LanceSchema
) extends LanceTable(name, location, dataset)
    with SupportsWrite {
  override def schema(): StructType = translating(SchemaConverter.toSpark(merged, ReadTypeOptions.written))
  override def capabilities(): JSet[TableCapability] = JSet.of(TableCapability.BATCH_WRITE)

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = translating {
    val options = LanceOptions.forWrite(info.options)
    SettledColumns.check(options.creation.columns, name, merged)
    val followers =
      LanceTable.followers(location, (_, _, _) => throw new IllegalStateException("not a stream"))
    new MergeBuilder(new WritePlanner(name, location, dataset, info, options, followers), merged)
  }
}

/** A Lance table that cannot be used. */
private[spark] trait BrokenTable extends Table {
  def failure: Throwable
}

/** A table that cannot be opened, because its data are missing or corrupt. Fails when it is used, not when it
  * is resolved: catalogs may list such tables, and DROP must work.
  */
final private[sparklance] class UnusableLanceTable(
    override val name: String,
    declared: StructType,
    location: TableLocation,
    override val capabilities: JSet[TableCapability],
    val failure: Throwable
) extends BrokenTable
    with SupportsRead
    with SupportsWrite {
  override def schema(): StructType = declared
  override def properties(): JMap[String, String] = LanceTable.properties(location)
  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = translating {
    throw failure
  }
  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = translating {
    throw failure
  }
}

/** A table without a location, by which Spark's session catalog checks a schema before it chooses one. */
final private[spark] class UnplacedLanceTable(declared: StructType) extends Table {
  SchemaConverter.toLance(declared)
  override def name(): String = "a new Lance table"
  override def schema(): StructType = declared

  /** Streamable, so that `save` asks for the path instead of refusing its mode. */
  override def capabilities(): JSet[TableCapability] = LanceTable.Streamable
}
