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

import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.dataset.{Dataset, Reference}
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.history.Statement
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
import io.sparklance.spark.read.{LanceScanBuilder, Pushdown, ScanSpec}
import io.sparklance.spark.rowlevel.{
  ChangedRows,
  DeltaSpec,
  LanceDeltaWrite,
  LanceRowLevelOperation,
  ManifestDeletion,
  RowLevelScanBuilder
}
import io.sparklance.spark.session.{LanceCatalogs, TableLocation}
import io.sparklance.spark.types.{
  BlobHandling,
  DefaultedColumns,
  LossyValues,
  ReadTypeOptions,
  SchemaConverter,
  SparkMetadataColumn
}
import io.sparklance.spark.write.{LanceWriteBuilder, MergeBuilder, ReplaceAllCommit, WritePlanner}
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** One version of a table, to be read: what was resolved once stays as it is, whatever others commit. */
private[sparklance] class LanceTable(
    override val name: String,
    val location: TableLocation,
    val dataset: Dataset
) extends Table
    with SupportsRead
    with SupportsMetadataColumns {
  private lazy val stored = SchemaConverter.toSpark(dataset.schema, readTypes)

  /** As which types its columns are shown. */
  protected def readTypes: ReadTypeOptions = LanceOptions.readTypes(CaseInsensitiveStringMap.empty)

  override def schema(): StructType = translating(stored)

  override def columns(): Array[Column] = DefaultedColumns.of(schema())

  override def capabilities(): JSet[TableCapability] = LanceTable.Readable
  override def properties(): JMap[String, String] = LanceTable.properties(location)
  override def metadataColumns(): Array[catalog.MetadataColumn] =
    MetadataColumn.all.map(SparkMetadataColumn(_): catalog.MetadataColumn).toArray
  override def toString: String = s"$name (lance, version ${dataset.version})"

  // Spark finds what it has cached by this. The time tells a table from one that was dropped, if both had
  // such a version.
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
    StoreOptions.of(options).check(name, location)
    scanBuilder(read)
  }

  /** What a reader asks for, as far as the table leaves it to readers. */
  protected def shown(read: ReadOptions): ReadOptions = read

  final protected def scanBuilder(read: ReadOptions): LanceScanBuilder = {
    val spec = ScanSpec(dataset.schema.fields, read.batchSize, read.readTypes, read.split)
    val pushdown =
      Option.when(read.pushDownFilters)(new Pushdown(dataset.schema.fields, read.readTypes.lossyValues))
    new LanceScanBuilder(dataset, location.copy(tuning = read.tuning), spec, pushdown)
  }

  /** The types of a table with a name are settled before a statement's options are seen. */
  private def typesChange(readTypes: ReadTypeOptions): LanceUsageException = new LanceUsageException(
    s"Options 'lossyValues' = '${readTypes.lossyValues.name}' and 'blobHandling' = '${readTypes.blobs.name}' give columns " +
      s"of $name other types than Spark has settled on. Set spark.datasource.lance.lossyValues and " +
      "spark.datasource.lance.blobHandling for the session, or read the table by its path, with the options."
  )

  private def refuseMetadata(options: CaseInsensitiveStringMap): Unit =
    LanceOptions.MetadataTableOption.in(options).foreach { kind =>
      throw new LanceUsageException(
        s"Option 'metadataTable' is for paths: $name was already found as a table. Use $name.${kind.name} instead."
      )
    }

  /** Spark has resolved the version by now, so options that name another one have come too late. */
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

  val Readable: JSet[TableCapability] = JSet.of(TableCapability.BATCH_READ)

  val Writable: JSet[TableCapability] =
    (Set(
      TableCapability.BATCH_READ,
      TableCapability.BATCH_WRITE,
      TableCapability.STREAMING_WRITE,
      TableCapability.TRUNCATE,
      TableCapability.OVERWRITE_BY_FILTER
    ) ++ schemaEvolution).asJava

  /** Whether `WITH SCHEMA EVOLUTION` may alter the table; Spark asks from 4.1 on. */
  private def schemaEvolution: Option[TableCapability] =
    Try(TableCapability.valueOf("AUTOMATIC_SCHEMA_EVOLUTION")).toOption

  /** Of a table by its path: batches are written another way, see [[LanceDataSource]]. */
  val Streamable: JSet[TableCapability] =
    JSet.of(TableCapability.BATCH_READ, TableCapability.STREAMING_WRITE, TableCapability.TRUNCATE)

  def properties(location: TableLocation): JMap[String, String] =
    Map(TableCatalog.PROP_PROVIDER -> LanceCatalogs.Format, TableCatalog.PROP_LOCATION -> location.uri).asJava
}

/** The latest version of a table of a catalog: it can be written to. */
final private[sparklance] class WritableLanceTable(
    name: String,
    location: TableLocation,
    dataset: Dataset,
    catalogProperties: Map[String, String] = Map.empty,
    blobs: Option[BlobHandling] = None
) extends LanceTable(name, location, dataset)
    with SupportsWrite
    with SupportsDeleteV2
    with SupportsRowLevelOperations {

  /** The same for a statement that writes to it: rows bring the bytes of blobs. */
  def toWrite: WritableLanceTable =
    new WritableLanceTable(name, location, dataset, catalogProperties, Some(BlobHandling.Bytes))

  override protected def readTypes: ReadTypeOptions =
    blobs.fold(super.readTypes)(how => super.readTypes.copy(blobs = how))

  override protected def shown(read: ReadOptions): ReadOptions =
    blobs.fold(read)(how => read.copy(readTypes = read.readTypes.copy(blobs = how)))

  override def capabilities(): JSet[TableCapability] = LanceTable.Writable

  override def properties(): JMap[String, String] =
    (dataset.tableMetadata ++ settings ++ LanceTable.properties(location).asScala).asJava

  /** What is said of the table in its own config and, above that, in the catalog. */
  private def settings: Map[String, String] = dataset.config ++ catalogProperties

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = translating {
    refuseRaw()
    val options = writeOptions(info.options)
    SettledColumns.check(options.creation.columns, name, dataset.schema)
    new LanceWriteBuilder(options.branch.fold(this)(onBranch).existing(info))
  }

  /** Spark has held the rows against the columns of this table. */
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

  private def existing(info: LogicalWriteInfo): WritePlanner =
    new WritePlanner(name, location, dataset, info, writeOptions(info.options))

  private def writeOptions(options: CaseInsensitiveStringMap): WriteOptions = {
    val all = TableProperties.over(settings, options)
    StoreOptions.of(all).check(name, location)
    LanceOptions.forWrite(all)
  }

  /** Rows come in the types in which the table is shown. */
  private def refuseRaw(): Unit =
    if (
      schema().map(_.dataType) !=
        SchemaConverter.toSpark(dataset.schema, ReadTypeOptions.written).map(_.dataType)
    )
      throw new LanceUsageException(
        s"Columns of $name are shown in types in which they are not written: blobs by their descriptors, unless " +
          "spark.datasource.lance.blobHandling is 'bytes', or values as spark.datasource.lance.lossyValues has it. Set " +
          "the former to 'bytes' for the session, and unset the latter, in order to write."
      )

  override def truncateTable(): Boolean = translating {
    val options = writeOptions(CaseInsensitiveStringMap.empty).commit
    val statement = Statement.truncate(dataset)
    new ReplaceAllCommit(dataset, options.copy(statement = Some(statement))).publish(Vector.empty)
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
      () => translating(new LanceRowLevelOperation(dataset, command, rowsOf(command), changes(command)))
    }

  /** Rows that go are found in what the table is at the commit. */
  private def committing(options: WriteOptions): CommitOptions = {
    if (options.commit.uncommitted.isDefined)
      throw new UnsupportedLanceFeatureException("option 'uncommitted' with DELETE, UPDATE or MERGE")
    options.commit
  }

  /** Rows that are written again must be as they were. */
  private def rowsOf(command: Command)(options: CaseInsensitiveStringMap): ScanBuilder = {
    val read = shown(LanceOptions.forRead(options))
    val readTypes = command match {
      case Command.DELETE => read.readTypes
      case Command.UPDATE | Command.MERGE => read.readTypes.copy(lossyValues = LossyValues.Refuse)
    }
    new RowLevelScanBuilder(scanBuilder(read.copy(readTypes = readTypes)))
  }

  private def changes(command: Command)(info: LogicalWriteInfo): LanceDeltaWrite = {
    val spec = command match {
      case Command.DELETE => DeltaSpec.deleting(info)
      case Command.UPDATE | Command.MERGE => DeltaSpec.changing(info, existing(info).changing)
    }
    val options = writeOptions(info.options)
    val changed = new ChangedRows(dataset, command, committing(options))
    new LanceDeltaWrite(location, spec, changed, RowLayout(taskBytes = options.layout.taskBytes))
  }
}

/** A table to which rows are added that have further columns.
  *
  * @param merged
  *   its columns and those
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
    new MergeBuilder(new WritePlanner(name, location, dataset, info, options), merged)
  }
}

/** A table of ours that cannot be used. */
private[spark] trait BrokenTable extends Table {
  def failure: Throwable
}

/** A table that cannot be opened: nothing is on disk, or nothing that makes sense. It is refused when it is
  * used, not when it is named: catalogs are listed with such tables in them, and DROP must work.
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

/** A table of which Spark's own session catalog wants to know, before it has a place, whether its schema is
  * fine.
  */
final private[spark] class UnplacedLanceTable(declared: StructType) extends Table {
  SchemaConverter.toLance(declared)
  override def name(): String = "a new Lance table"
  override def schema(): StructType = declared
  override def capabilities(): JSet[TableCapability] = LanceTable.Writable
}
