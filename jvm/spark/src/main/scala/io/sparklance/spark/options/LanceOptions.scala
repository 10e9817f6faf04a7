package io.sparklance.spark.options

import java.time.Instant

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException
import io.sparklance.data.FileVersion
import io.sparklance.dataset.Reference
import io.sparklance.dataset.scan.SplitTarget
import io.sparklance.dataset.write.StatisticsKind
import io.sparklance.io.ReadTuning
import io.sparklance.spark.session.Session
import io.sparklance.spark.types.{BlobHandling, LossyValues, ReadTypeOptions}
import io.sparklance.table.RowIdentity
import io.sparklance.table.transaction.BatchId

/** An option of the connector, as docs/options.md lists it.
  *
  * @param default as text; empty if there is none
  */
sealed abstract class LanceOption[A](val name: String, val default: String, parse: String => A) {

  /** The value in `given`, an unreadable one being the user's error. */
  def in(settings: CaseInsensitiveStringMap): Option[A] = Option(settings.get(name)).map { text =>
    try parse(text.trim)
    catch {
      case e: IllegalArgumentException =>
        throw new LanceUsageException(s"Option '$name' cannot be '$text': ${e.getMessage}.", e)
    }
  }
}

sealed abstract class ReadOption[A](name: String, default: String, parse: String => A)
    extends LanceOption[A](name, default, parse)

sealed abstract class WriteOption[A](name: String, default: String, parse: String => A)
    extends LanceOption[A](name, default, parse)

/** For reading and writing. */
sealed abstract class StoreOption[A](name: String, default: String, parse: String => A)
    extends LanceOption[A](name, default, parse)

/** Every option that this connector knows. Each can also be a session default, `spark.datasource.lance.<name>`. */
object LanceOptions {
  case object Version
      extends ReadOption[Long]("version", "", OptionText.positive(_, "a version of a table, 1 or higher"))
  case object Branch extends StoreOption[String]("branch", "", OptionText.filled(_, "the name of a branch"))
  case object Tag extends ReadOption[String]("tag", "", OptionText.filled(_, "the name of a tag"))
  case object AsOfTimestamp extends ReadOption[Instant]("asOfTimestamp", "", Session.time)

  case object MetadataTableOption
      extends ReadOption[MetadataTableName]("metadataTable", "", OptionText.metadataTable)

  case object BatchSize
      extends ReadOption[Int](
        "batchSize",
        "4096",
        OptionText.positive(_, "a number of rows").min(1L << 20).toInt
      )
  case object SplitRows
      extends ReadOption[Long]("splitRows", "", OptionText.positive(_, "a number of rows"))
  case object SplitBytes extends ReadOption[Long]("splitBytes", "", OptionText.size)
  case object MaxRequests
      extends ReadOption[Int](
        "maxRequests",
        "",
        OptionText.positive(_, "a number of requests").min(1024).toInt
      )
  case object ReadAheadBytes
      extends ReadOption[Long]("readAheadBytes", "", text => if (text == "0") 0 else OptionText.size(text))
  case object LossyValuesOption
      extends ReadOption[LossyValues]("lossyValues", LossyValues.Fail.name, LossyValues.parse)
  case object BlobHandlingOption
      extends ReadOption[BlobHandling]("blobHandling", BlobHandling.Descriptors.name, BlobHandling.parse)
  case object PushDownFilters extends ReadOption[Boolean]("pushDownFilters", "true", OptionText.truth)
  case object DataStorageVersion
      extends WriteOption[FileVersion]("dataStorageVersion", FileVersion.default.name, OptionText.fileVersion)
  case object MaxRowsPerFile
      extends WriteOption[Long]("maxRowsPerFile", "1048576", OptionText.positive(_, "a number of rows"))

  case object MaxBytesPerFile extends WriteOption[Long]("maxBytesPerFile", "90g", OptionText.size)
  case object WriteBufferBytes extends WriteOption[Long]("writeBufferBytes", "256m", OptionText.size)
  case object ClusterColumns
      extends WriteOption[Vector[ColumnPath]]("clusterColumns", "", RowLayout.columns)
  case object OrderColumns extends WriteOption[Vector[SortKey]]("orderColumns", "", RowLayout.sortKeys)
  case object AdvisoryPartitionSize extends WriteOption[Long]("advisoryPartitionSize", "", OptionText.size)
  case object EnableStableRowIds extends WriteOption[Boolean]("enableStableRowIds", "false", OptionText.truth)
  case object MergeSchema extends WriteOption[Boolean]("mergeSchema", "false", OptionText.truth)
  case object CompressionOption extends WriteOption[String]("compression", "", OptionText.compression)
  case object StatisticsOption
      extends WriteOption[StatisticsKind]("statistics", StatisticsKind.Zones.name, OptionText.statistics)
  case object TxnAppId extends WriteOption[String]("txnAppId", "", OptionText.filled(_, "a name"))
  case object TxnVersion
      extends WriteOption[Long]("txnVersion", "", OptionText.notNegative(_, "the number of a batch"))
  case object Uncommitted extends WriteOption[String]("uncommitted", "", OptionText.uuid)
  case object Columns extends WriteOption[BackfillKind]("columns", "", OptionText.columnsKind)
  case object ColumnsOn extends WriteOption[Vector[String]]("columnsOn", "", OptionText.names)
  case object ColumnsJob extends WriteOption[String]("columnsJob", "", OptionText.job)
  case object ColumnsVersion
      extends WriteOption[Long]("columnsVersion", "", OptionText.positive(_, "a version of the table"))

  case object CommitHandlerOption
      extends StoreOption[String](
        "commitHandler",
        "",
        OptionText.filled(_, "the name of a class, or unguarded")
      )

  val reading: Vector[ReadOption[_]] =
    Vector(
      Version,
      Tag,
      AsOfTimestamp,
      MetadataTableOption,
      BatchSize,
      SplitRows,
      SplitBytes,
      MaxRequests,
      ReadAheadBytes,
      PushDownFilters,
      LossyValuesOption,
      BlobHandlingOption
    )
  val writing: Vector[WriteOption[_]] =
    Vector(
      DataStorageVersion,
      EnableStableRowIds,
      MaxRowsPerFile,
      MaxBytesPerFile,
      WriteBufferBytes,
      ClusterColumns,
      OrderColumns,
      AdvisoryPartitionSize,
      MergeSchema,
      CompressionOption,
      StatisticsOption,
      TxnAppId,
      TxnVersion,
      Uncommitted,
      Columns,
      ColumnsOn,
      ColumnsJob,
      ColumnsVersion
    )

  val both: Vector[StoreOption[_]] = Vector(Branch, CommitHandlerOption)

  private val SessionPrefix = "spark.datasource.lance."

  /** What Spark itself puts among the options, in lower case. */
  private val sparksOwn =
    Set(
      "path",
      "paths",
      "provider",
      "owner",
      "location",
      "versionasof",
      "timestampasof",
      "serialization.format",
      "checkpointlocation",
      "queryname"
    )

  def forRead(settings: CaseInsensitiveStringMap): ReadOptions = {
    val options = checked(settings, reading, "reading")
    ReadOptions(
      reference(options),
      BatchSize.in(options).getOrElse(BatchSize.default.toInt),
      readTypesIn(options),
      splitTarget(options),
      ReadTuning(MaxRequests.in(options), ReadAheadBytes.in(options)),
      PushDownFilters.in(options).getOrElse(PushDownFilters.default.toBoolean)
    )
  }

  private def splitTarget(options: CaseInsensitiveStringMap): Option[SplitTarget] =
    (SplitRows.in(options), SplitBytes.in(options)) match {
      case (Some(rows), None) => Some(SplitTarget.Rows(rows))
      case (None, Some(bytes)) => Some(SplitTarget.Bytes(bytes))
      case (None, None) => None
      case (Some(_), Some(_)) =>
        throw new LanceUsageException(
          "Options 'splitRows' and 'splitBytes' both say how large splits are. Give one of them."
        )
    }

  /** The version to read, when it is not clear yet whether there will be a read. */
  def version(settings: CaseInsensitiveStringMap): Reference =
    reference(overDefaults(settings)).getOrElse(Reference.latest)

  private def reference(options: CaseInsensitiveStringMap): Option[Reference] = {
    val points = Version.in(options).map(Reference.Version(_)) ++ Tag.in(options).map(Reference.Tag(_)) ++
      AsOfTimestamp.in(options).map(Reference.AsOf(_))
    if (points.size > 1)
      throw new LanceUsageException(
        "Of options 'version', 'tag' and 'asOfTimestamp' each names a version. Give one of them."
      )
    val branch = Branch.in(options)
    Option.when(branch.nonEmpty || points.nonEmpty)(
      Reference(branch, points.headOption.getOrElse(Reference.Latest))
    )
  }

  /** How tables are committed to if nothing else is said. */
  def defaultCommitHandler: Option[String] =
    CommitHandlerOption.in(overDefaults(CaseInsensitiveStringMap.empty))

  /** How a table's types are shown, likewise. */
  def readTypes(settings: CaseInsensitiveStringMap): ReadTypeOptions = readTypesIn(overDefaults(settings))

  private def readTypesIn(options: CaseInsensitiveStringMap): ReadTypeOptions = ReadTypeOptions(
    LossyValuesOption.in(options).getOrElse(ReadTypeOptions.default.lossyValues),
    BlobHandlingOption.in(options).getOrElse(ReadTypeOptions.default.blobs)
  )

  def forWrite(settings: CaseInsensitiveStringMap): WriteOptions = {
    val options = checked(settings, writing, "writing")
    WriteOptions(
      DataStorageVersion.in(options),
      WriteLimits(
        MaxRowsPerFile.in(options).getOrElse(MaxRowsPerFile.default.toLong),
        MaxBytesPerFile.in(options).getOrElse(OptionText.size(MaxBytesPerFile.default)),
        WriteBufferBytes.in(options).getOrElse(OptionText.size(WriteBufferBytes.default)),
        CompressionOption.in(options),
        StatisticsOption.in(options).getOrElse(StatisticsKind.Zones)
      ),
      ColumnSettings.of(settings.asCaseSensitiveMap.asScala),
      CommitOptions(
        CommitOptions.notes(options.asScala.toMap),
        batch(options),
        Uncommitted.in(settings)
      ),
      RowLayout(
        ClusterColumns.in(options).getOrElse(Vector.empty),
        OrderColumns.in(options).getOrElse(Vector.empty),
        AdvisoryPartitionSize.in(options)
      ),
      if (EnableStableRowIds.in(options).contains(true)) RowIdentity.StableId else RowIdentity.Address,
      MergeSchema.in(options).getOrElse(MergeSchema.default.toBoolean),
      ofColumns(settings),
      Branch.in(options)
    )
  }

  /** Of a statement that makes a table. */
  def refuseBranch(settings: CaseInsensitiveStringMap): Unit = Branch.in(settings).foreach { name =>
    throw new LanceUsageException(
      s"Option 'branch' is '$name', but a new table has no branch yet. Make the table first, and CALL " +
        "lance.system.create_branch."
    )
  }

  /** What a write says itself, and no session for all of them. */
  private def ofColumns(settings: CaseInsensitiveStringMap): Option[BackfillOptions] = {
    val (on, job, version) = (ColumnsOn.in(settings), ColumnsJob.in(settings), ColumnsVersion.in(settings))
    val kind = Columns.in(settings)
    if (kind.isEmpty && (on.isDefined || job.isDefined || version.isDefined))
      throw new LanceUsageException(
        "Options 'columnsOn', 'columnsJob' and 'columnsVersion' say how columns are written, and go with option 'columns' = 'add' " +
          "or 'update'. Give that, too, or none of them."
      )
    kind.map(BackfillOptions(_, on.getOrElse(Vector.empty), job, version))
  }

  private def batch(options: CaseInsensitiveStringMap): Option[BatchId] =
    (TxnAppId.in(options), TxnVersion.in(options)) match {
      case (Some(application), Some(number)) => Some(BatchId(application, number))
      case (None, None) => None
      case (_, _) =>
        throw new LanceUsageException(
          "Options 'txnAppId' and 'txnVersion' name a batch together, and only one of them is given. Give both, or none."
        )
    }

  /** The settings over the session's defaults, when all of them are `known`. */
  private def checked(
      settings: CaseInsensitiveStringMap,
      known: Vector[LanceOption[_]],
      doing: String
  ): CaseInsensitiveStringMap = {
    val names = (known ++ both).map(_.name)
    settings.asCaseSensitiveMap.asScala.keys.foreach { key =>
      val isKnown =
        isSparks(key) || StoreOptions.isSetting(key) || isNote(key, known) || isOfColumn(key, known) ||
          names.exists(_.equalsIgnoreCase(key))
      if (!isKnown)
        throw unknown(key, names, doing)
    }
    val all = (reading ++ writing ++ both).map(_.name)
    sessionDefaults.keys.foreach { key =>
      if (!isNote(key, writing) && !all.exists(_.equalsIgnoreCase(key)))
        throw unknown(SessionPrefix + key, all.map(SessionPrefix + _), "the session's defaults")
    }
    overDefaults(settings)
  }

  private def sessionDefaults: Map[String, String] = Session.settings.collect {
    case (key, value) if key.startsWith(SessionPrefix) => key.drop(SessionPrefix.length) -> value
  }

  private def overDefaults(settings: CaseInsensitiveStringMap): CaseInsensitiveStringMap = {
    // As keys in lower case on both sides, so that one can stand for the other.
    val defaults = new CaseInsensitiveStringMap(sessionDefaults.asJava).asScala
    new CaseInsensitiveStringMap((defaults ++ settings.asScala).asJava)
  }

  private def isNote(key: String, known: Vector[LanceOption[_]]): Boolean =
    known == writing && key.toLowerCase(java.util.Locale.ROOT).startsWith(CommitOptions.Prefix)

  private def isOfColumn(key: String, known: Vector[LanceOption[_]]): Boolean =
    known == writing && ColumnSettings.isSetting(key)

  private def isSparks(key: String): Boolean =
    key.startsWith("__") || sparksOwn(key.toLowerCase(java.util.Locale.ROOT))

  private def unknown(key: String, known: Vector[String], doing: String): LanceUsageException =
    new LanceUsageException(
      s"Option '$key' is not known for $doing Lance tables.${OptionText.suggestion(key, known)} " +
        s"Known: ${known.mkString(", ")} (docs/options.md)."
    )
}
