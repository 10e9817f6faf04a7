package io.sparklance.spark.table

import java.time.Instant
import java.util.{Map => JMap, Set => JSet}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.sql.connector.catalog
import org.apache.spark.sql.connector.catalog.{
  Column,
  SupportsMetadataColumns,
  SupportsRead,
  Table,
  TableCapability,
  TableCatalog
}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException
import io.sparklance.dataset.changes.AppendedRows
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.dataset.{Dataset, Reference}
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.index.{IndexRefresh, ReplacedIndices}
import io.sparklance.spark.maintenance.StreamCompaction
import io.sparklance.spark.options.{
  CommitOptions,
  LanceOptions,
  RangeKind,
  RangeRead,
  ReadOptions,
  StoreOptions
}
import io.sparklance.spark.read.{LanceScanBuilder, ListFilter, Pushdown, ScanIndices, ScanSpec}
import io.sparklance.spark.session.{LanceCatalogs, Session, TableLocation}
import io.sparklance.spark.streams.AppendStreams
import io.sparklance.spark.types.{DefaultedColumns, ReadTypeOptions, SchemaConverter, SparkMetadataColumn}
import io.sparklance.spark.write.{UpsertTables, WriteFollowers}

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
        Some(read.split.getOrElse(Session.splitTarget)),
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
