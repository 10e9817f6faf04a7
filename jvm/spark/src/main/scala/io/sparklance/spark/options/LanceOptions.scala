package io.sparklance.spark.options

import java.time.Instant

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException
import io.sparklance.data.FileVersion
import io.sparklance.dataset.Reference
import io.sparklance.dataset.scan.SplitTarget
import io.sparklance.dataset.write.{FragmentWriter, StatisticsKind}
import io.sparklance.index.search.BrokenIndices
import io.sparklance.io.ReadTuning
import io.sparklance.spark.session.Session
import io.sparklance.spark.types.{BlobHandling, LossyValues, ReadTypeOptions}
import io.sparklance.table.RowIdentity
import io.sparklance.table.transaction.BatchId

/** The options of the connector. Each can also be set for a session, as `spark.datasource.lance.<name>`. */
private[sparklance] object LanceOptions {
  case object Version
      extends ReadOption[Long]("version", OptionText.positive(_, "a version of a table, 1 or higher"))
  case object Branch extends StoreOption[String]("branch", OptionText.filled(_, "the name of a branch"))
  case object Tag extends ReadOption[String]("tag", OptionText.filled(_, "the name of a tag"))
  case object AsOfTimestamp extends ReadOption[Instant]("asOfTimestamp", Session.time)
  case object MetadataTableOption
      extends ReadOption[MetadataTableName]("metadataTable", OptionText.metadataTable)

  case object Nearest extends ReadOption[SearchRequest]("nearest", SearchJson.parse)
  case object FullTextQuery extends ReadOption[TextRequest]("fullTextQuery", TextJson.parse)
  case object HybridSearch extends ReadOption[HybridRequest]("hybridSearch", HybridJson.parse)

  case object SchemaOption extends ReadOption[StructType]("schema", OptionText.schema)

  case object BatchSize
      extends ReadOption[Int]("batchSize", OptionText.positive(_, "a number of rows").min(1L << 20).toInt)
      with Defaulted[Int] {
    val default = 4096
  }
  case object SplitRows extends ReadOption[Long]("splitRows", OptionText.positive(_, "a number of rows"))
  case object SplitBytes extends ReadOption[Long]("splitBytes", OptionText.size)
  case object MinRequests
      extends ReadOption[Int](
        "minRequests",
        OptionText.positive(_, "a number of requests").min(1024).toInt
      )
  case object MaxRequests
      extends ReadOption[Int](
        "maxRequests",
        OptionText.positive(_, "a number of requests").min(1024).toInt
      )
  case object ReadAheadBytes
      extends ReadOption[Long]("readAheadBytes", text => if (text == "0") 0 else OptionText.size(text))
  case object MetadataCacheBytes
      extends ReadOption[Long]("metadataCacheBytes", text => if (text == "0") 0 else OptionText.size(text))
  case object LossyValuesOption
      extends ReadOption[LossyValues]("lossyValues", LossyValues.parse)
      with Defaulted[LossyValues] {
    val default: LossyValues = ReadTypeOptions.default.lossyValues
    override protected def text(value: LossyValues): String = value.name
  }
  case object BlobHandlingOption
      extends ReadOption[BlobHandling]("blobHandling", BlobHandling.parse)
      with Defaulted[BlobHandling] {
    val default: BlobHandling = ReadTypeOptions.default.blobs
    override protected def text(value: BlobHandling): String = value.name
  }
  case object PushDownFilters extends ReadOption[Boolean]("pushDownFilters", OptionText.truth)
      with Defaulted[Boolean] {
    val default = true
  }

  case object UseScalarIndex extends ReadOption[Boolean]("useScalarIndex", OptionText.truth)
      with Defaulted[Boolean] {
    val default = true
  }
  case object ApproximateOrder extends ReadOption[Boolean]("approximateOrder", OptionText.truth)
      with Defaulted[Boolean] {
    val default = false
  }
  case object LocalResultBytes
      extends ReadOption[Long]("localResultBytes", text => if (text == "0") 0 else OptionText.size(text))
      with SizeDefault {
    val default: Long = 8L << 20
  }
  case object BrokenIndicesOption
      extends ReadOption[BrokenIndices]("brokenIndices", OptionText.brokenIndices)
      with Defaulted[BrokenIndices] {
    val default: BrokenIndices = BrokenIndices.Fail
    override protected def text(value: BrokenIndices): String = value.name
  }

  case object DataStorageVersion
      extends WriteOption[FileVersion]("dataStorageVersion", OptionText.fileVersion)
      with Defaulted[FileVersion] {
    val default: FileVersion = FileVersion.default
  }
  case object MaxRowsPerFile
      extends WriteOption[Long]("maxRowsPerFile", OptionText.positive(_, "a number of rows"))
      with Defaulted[Long] {
    val default: Long = 1L << 20
  }
  case object MaxBytesPerFile extends WriteOption[Long]("maxBytesPerFile", OptionText.size)
      with SizeDefault {
    val default: Long = 90L << 30
  }
  case object WriteBufferBytes extends WriteOption[Long]("writeBufferBytes", OptionText.size)
      with SizeDefault {
    val default: Long = 256L << 20
  }
  case object PageBytes extends WriteOption[Long]("pageBytes", OptionText.size) with SizeDefault {
    val default: Long = FragmentWriter.DefaultPageBytes
  }
  case object ClusterColumns extends WriteOption[Vector[ColumnPath]]("clusterColumns", RowLayout.columns)
  case object OrderColumns extends WriteOption[Vector[SortKey]]("orderColumns", RowLayout.sortKeys)
  case object ColumnGroupsOption extends WriteOption[SeparateColumns]("columnGroups", SeparateColumns.parse)
  case object AdvisoryPartitionSize extends WriteOption[Long]("advisoryPartitionSize", OptionText.size)
  case object EnableStableRowIds extends WriteOption[Boolean]("enableStableRowIds", OptionText.truth)
      with Defaulted[Boolean] {
    val default = false
  }
  case object MergeSchema extends WriteOption[Boolean]("mergeSchema", OptionText.truth)
      with Defaulted[Boolean] {
    val default = false
  }
  case object OptimizeIndices extends WriteOption[Boolean]("optimizeIndices", OptionText.truth)
      with Defaulted[Boolean] {
    val default = false
  }
  case object KeepIndicesOption extends WriteOption[KeepIndices]("keepIndices", OptionText.keepIndices)
      with Defaulted[KeepIndices] {
    val default: KeepIndices = KeepIndices.Drop
    override protected def text(value: KeepIndices): String = value.name
  }
  case object CompressionOption extends WriteOption[String]("compression", OptionText.compression)
  case object StatisticsOption extends WriteOption[StatisticsKind]("statistics", OptionText.statistics)
      with Defaulted[StatisticsKind] {
    val default: StatisticsKind = StatisticsKind.Zones
    override protected def text(value: StatisticsKind): String = value.name
  }
  case object IsolationOption extends WriteOption[Isolation]("isolation", Isolation.parse)
  case object UpdateModeOption extends WriteOption[UpdateMode]("updateMode", UpdateMode.parse)
      with Defaulted[UpdateMode] {
    val default: UpdateMode = UpdateMode.Rows
    override protected def text(value: UpdateMode): String = value.name
  }
  case object TxnAppId extends WriteOption[String]("txnAppId", OptionText.filled(_, "a name"))
  case object TxnVersion
      extends WriteOption[Long]("txnVersion", OptionText.notNegative(_, "the number of a batch"))
  case object Uncommitted extends WriteOption[String]("uncommitted", OptionText.uuid)
  case object Columns extends WriteOption[BackfillKind]("columns", OptionText.columnsKind)
  case object ColumnsOn extends WriteOption[Vector[String]]("columnsOn", OptionText.names)
  case object ColumnsJob extends WriteOption[String]("columnsJob", OptionText.job)
  case object ColumnsVersion
      extends WriteOption[Long]("columnsVersion", OptionText.positive(_, "a version of the table"))

  case object CommitHandlerOption
      extends StoreOption[String]("commitHandler", OptionText.filled(_, "the name of a class, or unguarded"))

  val reading: Vector[ReadOption[_]] =
    Vector(
      Version,
      Tag,
      AsOfTimestamp,
      MetadataTableOption,
      Nearest,
      FullTextQuery,
      HybridSearch,
      SchemaOption,
      BatchSize,
      SplitRows,
      SplitBytes,
      MinRequests,
      MaxRequests,
      ReadAheadBytes,
      MetadataCacheBytes,
      PushDownFilters,
      UseScalarIndex,
      ApproximateOrder,
      LocalResultBytes,
      BrokenIndicesOption,
      LossyValuesOption,
      BlobHandlingOption
    ) ++ RangeOptions.all ++ StreamOptions.all
  val writing: Vector[WriteOption[_]] =
    Vector(
      DataStorageVersion,
      EnableStableRowIds,
      MaxRowsPerFile,
      MaxBytesPerFile,
      WriteBufferBytes,
      PageBytes,
      ClusterColumns,
      OrderColumns,
      ColumnGroupsOption,
      AdvisoryPartitionSize,
      MergeSchema,
      CompressionOption,
      StatisticsOption,
      OptimizeIndices,
      IsolationOption,
      UpdateModeOption,
      KeepIndicesOption,
      TxnAppId,
      TxnVersion,
      Uncommitted,
      Columns,
      ColumnsOn,
      ColumnsJob,
      ColumnsVersion
    ) ++ SinkOptions.all

  val both: Vector[StoreOption[_]] = Vector(Branch, CommitHandlerOption)

  def all: Vector[LanceOption[_]] = reading ++ writing ++ both

  /** Reads the options of a read.
    *
    * @throws io.sparklance.LanceUsageException
    *   if an option is unknown, or its value is not valid
    */
  def forRead(settings: CaseInsensitiveStringMap): ReadOptions = {
    val options = KnownOptions.checked(PeerNames.options(settings, isWrite = false), reading, "reading")
    ReadOptions(
      reference(options),
      BatchSize.of(options),
      readTypesIn(options),
      splitTarget(options),
      tuning(options),
      PushDownFilters.of(options),
      Option.when(UseScalarIndex.of(options))(BrokenIndicesOption.of(options)),
      RangeOptions.of(settings),
      StreamOptions.of(settings),
      ApproximateOrder.of(options)
    )
  }

  /** Returns the most bytes of a result that the driver reads itself. */
  def localResultBytes(settings: CaseInsensitiveStringMap): Long =
    LocalResultBytes.of(KnownOptions.overSession(settings))

  private def tuning(options: CaseInsensitiveStringMap): ReadTuning = {
    val (least, most) = (MinRequests.in(options), MaxRequests.in(options))
    for (min <- least; max <- most if min > max)
      throw new LanceUsageException(
        s"The option minRequests is $min, which is more than maxRequests, $max. Lower the one, or raise the other."
      )
    ReadTuning(most, ReadAheadBytes.in(options), MetadataCacheBytes.in(options), least)
  }

  private def splitTarget(options: CaseInsensitiveStringMap): Option[SplitTarget] =
    (SplitRows.in(options), SplitBytes.in(options)) match {
      case (Some(rows), None) => Some(SplitTarget.Rows(rows))
      case (None, Some(bytes)) => Some(SplitTarget.Bytes(bytes))
      case (None, None) => None
      case (Some(_), Some(_)) =>
        throw new LanceUsageException(
          "Options 'splitRows' and 'splitBytes' both set the size of splits. Give one of them."
        )
    }

  /** Reads the version to read. Accepts unknown options, because a write may follow instead of a read. */
  def version(settings: CaseInsensitiveStringMap): Reference =
    reference(KnownOptions.overSession(settings)).getOrElse(Reference.latest)

  private def reference(options: CaseInsensitiveStringMap): Option[Reference] = {
    val points = Version.in(options).map(Reference.Version(_)) ++ Tag.in(options).map(Reference.Tag(_)) ++
      AsOfTimestamp.in(options).map(Reference.AsOf(_))
    if (points.size > 1)
      throw new LanceUsageException(
        "Options 'version', 'tag' and 'asOfTimestamp' each name a version. Give one of them."
      )
    val branch = Branch.in(options)
    Option.when(branch.nonEmpty || points.nonEmpty)(
      Reference(branch, points.headOption.getOrElse(Reference.Latest))
    )
  }

  /** Returns the session's commit handler. */
  def defaultCommitHandler: Option[String] =
    CommitHandlerOption.in(KnownOptions.overSession(CaseInsensitiveStringMap.empty))

  /** Returns the options that choose Spark types for stored types. */
  def readTypes(settings: CaseInsensitiveStringMap): ReadTypeOptions =
    readTypesIn(KnownOptions.overSession(settings))

  private def readTypesIn(options: CaseInsensitiveStringMap): ReadTypeOptions = ReadTypeOptions(
    LossyValuesOption.of(options),
    BlobHandlingOption.of(options)
  )

  /** Reads the options of a write.
    *
    * @throws io.sparklance.LanceUsageException
    *   if an option is unknown, or its value is not valid
    */
  def forWrite(said: CaseInsensitiveStringMap): WriteOptions = {
    val settings = PeerNames.options(said, isWrite = true)
    val options = KnownOptions.checked(settings, writing, "writing")
    WriteOptions(
      WriteLimits(
        MaxRowsPerFile.of(options),
        MaxBytesPerFile.of(options),
        WriteBufferBytes.of(options),
        CompressionOption.in(options),
        StatisticsOption.of(options),
        PageBytes.of(options),
        ColumnGroupsOption.in(options).getOrElse(SeparateColumns.none)
      ),
      CreationOptions(
        DataStorageVersion.in(options),
        ColumnSettings.of(settings.asCaseSensitiveMap.asScala),
        if (EnableStableRowIds.of(options)) RowIdentity.StableId else RowIdentity.Address
      ),
      CommitOptions(
        CommitOptions.notes(options.asScala.toMap),
        batch(options),
        Uncommitted.in(settings),
        indices = IndexOptions(OptimizeIndices.of(options), KeepIndicesOption.of(options)),
        isolation = IsolationOption.in(options),
        sink = SinkOptions.of(settings)
      ),
      RowLayout(
        ClusterColumns.in(options).getOrElse(Vector.empty),
        OrderColumns.in(options).getOrElse(Vector.empty),
        AdvisoryPartitionSize.in(options)
      ),
      ChangeOptions(MergeSchema.of(options), UpdateModeOption.of(options)),
      backfill(settings),
      Branch.in(options)
    )
  }

  /** Options of a write without options: the session's defaults. */
  def sessionWrite: WriteOptions = forWrite(CaseInsensitiveStringMap.empty)

  /** Refuses option `branch` for a statement that creates a table. */
  def refuseBranch(settings: CaseInsensitiveStringMap): Unit = Branch.in(settings).foreach { name =>
    throw new LanceUsageException(
      s"Option 'branch' is '$name', but a new table has no branch yet. Create the table first, then CALL " +
        "lance.system.create_branch."
    )
  }

  /** Reads the options of a backfill. They belong to one write, so the session's defaults do not count. */
  private def backfill(settings: CaseInsensitiveStringMap): Option[BackfillOptions] = {
    val (on, job, version) = (ColumnsOn.in(settings), ColumnsJob.in(settings), ColumnsVersion.in(settings))
    val kind = Columns.in(settings)
    if (kind.isEmpty && (on.isDefined || job.isDefined || version.isDefined))
      throw new LanceUsageException(
        "Options 'columnsOn', 'columnsJob' and 'columnsVersion' belong to a backfill, so they need option 'columns' = 'add' or 'update'. " +
          "Give that, too, or none of them."
      )
    if (kind.isDefined && ColumnGroupsOption.in(settings).isDefined)
      throw new LanceUsageException(
        "Option 'columnGroups' divides new rows into files, but a backfill writes one file for each fragment. Leave it out, " +
          "or run a backfill for each group."
      )
    kind.map(BackfillOptions(_, on.getOrElse(Vector.empty), job, version))
  }

  private def batch(options: CaseInsensitiveStringMap): Option[BatchId] =
    (TxnAppId.in(options), TxnVersion.in(options)) match {
      case (Some(application), Some(number)) => Some(BatchId(application, number))
      case (None, None) => None
      case (_, _) =>
        throw new LanceUsageException(
          "Options 'txnAppId' and 'txnVersion' together identify a batch, but only one of them is given. Give both, or none."
        )
    }
}
