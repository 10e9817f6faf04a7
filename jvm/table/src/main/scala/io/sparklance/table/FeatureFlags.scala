package io.sparklance.table

import io.sparklance.data.FileVersion
import io.sparklance.proto.{table => pb}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** The two words of a manifest that keep older software from misreading or corrupting tables of newer
  * writers.
  */
private[sparklance] object FeatureFlags {
  val DeletionFiles = 0
  val StableRowIds = 1

  /** Deprecated: the table's files are of version 2. */
  val Format2 = 2
  val TableConfig = 3
  val BasePaths = 4
  val NoTransactionFiles = 5
  val MixedFileVersions = 8
  val HiddenLineage = 11

  /** Names by bit. */
  private val names: Vector[String] = Vector(
    "deletion files",
    "stable row ids",
    "file format 2 (deprecated flag)",
    "table config",
    "base paths",
    "no transaction files",
    "data overlay files",
    "covering columns of indices",
    "data files of several versions",
    "stable row ids with a fragment reuse index",
    "tagged fragment reuse index",
    "row lineage in hidden columns",
    "fragment tree",
    "independent covering fields",
    "managed blobs",
    "field ids that are never reused",
    "zone write seeds",
    "clustering metadata"
  )

  private val known: Long = bits(
    DeletionFiles,
    StableRowIds,
    Format2,
    TableConfig,
    BasePaths,
    NoTransactionFiles,
    MixedFileVersions,
    HiddenLineage
  )

  def isSet(word: Long, bit: Int): Boolean = (word >>> bit & 1) != 0

  /** Refuses a table that cannot be read correctly. */
  def checkReadable(manifest: Manifest): Unit = {
    val message = manifest.message
    refuse(message.readerFeatureFlags & ~known, "reading")
    if (isSet(message.readerFeatureFlags ^ message.writerFeatureFlags, MixedFileVersions))
      throw new LanceFormatException(
        "the flag for data files of several versions is set for readers only or for writers only"
      )
    if (isSet(message.readerFeatureFlags, MixedFileVersions)) refuseOldFiles(manifest)
    else
      foreignFile(message).foreach { file =>
        throw new LanceFormatException(
          s"the data file ${file.path} is of version ${file.versionName}, those of the table are of " +
            s"${manifest.fileVersionName}, and no flag says that there are several"
        )
      }
    if (manifest.hasStableRowIds)
      message.fragments.find(_.rowIdSequence.isEmpty).foreach { fragment =>
        throw new LanceFormatException(
          s"fragment ${fragment.id} has no row ids, though those of the table are stable"
        )
      }
  }

  /** Refuses a table that a commit of ours could corrupt. */
  def checkWritable(manifest: Manifest): Unit =
    refuse(manifest.message.writerFeatureFlags & ~known, "writing to")

  /** Returns the manifest of a new table with stable row ids. */
  def withStableRowIds(manifest: Manifest): Manifest = {
    val message = manifest.message
    Manifest(
      message.copy(
        readerFeatureFlags = message.readerFeatureFlags | bits(StableRowIds),
        writerFeatureFlags = message.writerFeatureFlags | bits(StableRowIds)
      )
    )
  }

  /** Recomputes the flags that follow from the content; keeps all others. */
  def recomputed(message: pb.Manifest): pb.Manifest = {
    val inBoth = Seq(
      DeletionFiles -> message.fragments.exists(_.deletionFile.isDefined),
      BasePaths -> message.basePaths.nonEmpty,
      HiddenLineage -> message.fragments.iterator.map(Fragment(_)).exists(_.hidesLineage),
      // Once set, it stays.
      MixedFileVersions ->
        (isSet(message.readerFeatureFlags, MixedFileVersions) || foreignFile(message).isDefined)
    )
    message.copy(
      readerFeatureFlags = inBoth.foldLeft(message.readerFeatureFlags)(assign),
      writerFeatureFlags = (inBoth :+ (TableConfig -> message.config.nonEmpty)).foldLeft(
        message.writerFeatureFlags
      )(assign)
    )
  }

  /** Refuses files of version 0.1, for which the flag is not meant. */
  private def refuseOldFiles(manifest: Manifest): Unit = {
    val oldest = FileVersion.V0_1.name
    val oldFile =
      manifest.message.fragments.iterator.flatMap(_.files).map(DataFile(_)).find(_.versionName == oldest)
    val said =
      manifest.message.dataFormat.map(_.version).filter(FileVersion.exact(_) == oldest).map(_ => "the table")
    said.orElse(oldFile.map(file => s"the data file ${file.path}")).foreach { what =>
      throw new LanceFormatException(
        s"$what is of version $oldest, but a flag says that data files are of several versions, which $oldest is never among"
      )
    }
  }

  /** Finds a data file of another version than the table's. Release 0.16 left files of version 2 beside those
    * of a table of version 0.1; these are read, each by its own version.
    */
  private def foreignFile(message: pb.Manifest): Option[DataFile] = message.dataFormat.flatMap { _ =>
    val name = Manifest(message).fileVersionName
    val usual = FileVersion.parse(name)
    if (usual.contains(FileVersion.V0_1)) None
    else
      message.fragments.iterator
        .flatMap(_.files)
        .filterNot(f => usual.exists(v => v.major == f.fileMajorVersion && v.minor == f.fileMinorVersion))
        .map(DataFile(_))
        .find(_.versionName != FileVersion.exact(name))
  }

  private[table] def bits(numbers: Int*): Long = numbers.foldLeft(0L)((word, bit) => word | 1L << bit)

  private def assign(word: Long, flag: (Int, Boolean)): Long = flag match {
    case (bit, true) => word | bits(bit)
    case (bit, false) => word & ~bits(bit)
  }

  private def refuse(unknown: Long, activity: String): Unit =
    if (unknown != 0) {
      val named = (0 until 64).filter(isSet(unknown, _)).map { bit =>
        s"bit $bit (${names.lift(bit).getOrElse("unknown")})"
      }
      throw new UnsupportedLanceFeatureException(
        s"$activity a table with feature flag ${named.mkString(", ")}"
      )
    }
}
