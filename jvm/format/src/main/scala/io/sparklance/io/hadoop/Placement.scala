package io.sparklance.io.hadoop

import org.apache.hadoop.fs.{
  FSDataOutputStream,
  FSDataOutputStreamBuilder,
  FileAlreadyExistsException,
  FileSystem,
  Path
}

import io.sparklance.LanceUsageException
import io.sparklance.io.{Listing, WritableFile}

/** The way in which new files get their names in a file system, so that exactly one of several writers of a
  * name succeeds.
  */
sealed private[hadoop] trait Placement {
  def create(fs: FileSystem, path: Path): WritableFile

  /** Returns false if the name exists. If an answer was lost, the existing file may be the caller's own. */
  def putIfAbsent(fs: FileSystem, path: Path, bytes: Array[Byte]): Boolean

  def listing(fs: FileSystem, directory: Path): Listing

  /** Whether renaming a directory is atomic. */
  def renamesDirectories: Boolean = false

  /** Returns the reason why writing would be unsafe, if there is one. */
  def refusal(fs: FileSystem, path: Path): Option[LanceUsageException]
}

private[hadoop] object Placement {

  /** Returns the placement for a scheme.
    *
    *   - HDFS: `rename` is atomic, and fails when the target exists. Directories are listed in the order of
    *     names, as in the services below, but not behind `viewfs`, nor in directory buckets of S3.
    *   - ABFS: likewise; it sends `If-None-Match: *`. A created file is visible while it is being written, so
    *     `create` is unsuitable.
    *   - S3A: an object appears when it is complete. `createFile` with an option of Hadoop 3.4.2 sends
    *     `If-None-Match: *`.
    *   - GCS: likewise; `create` without overwriting requires generation 0, which means none.
    */
  def of(scheme: String): Placement = scheme match {
    case "hdfs" | "abfs" | "abfss" => ByRename(Listing.Ordered)
    case "viewfs" => ByRename(Listing.Whole)
    case "s3a" => ByConditionalCreate
    case "gs" => ByCreate
    case _ => Unsafe(scheme)
  }
}

/** Writes a file under a temporary name and renames it. */
final private[hadoop] case class ByRename(order: Listing) extends Placement {
  override def renamesDirectories: Boolean = true
  def listing(fs: FileSystem, directory: Path): Listing = order

  def create(fs: FileSystem, path: Path): WritableFile = {
    val staged = Files.staging(path)
    new RenamedFile(fs, path, staged, fs.create(staged, false))
  }

  def putIfAbsent(fs: FileSystem, path: Path, bytes: Array[Byte]): Boolean = {
    val staged = Files.staging(path)
    try {
      Files.write(fs.create(staged, false), bytes)
      // Some implementations return false, some throw. Only an existing file of that name makes it no
      // failure.
      try fs.rename(staged, path) || Files.isTaken(fs, path)
      catch { case _: FileAlreadyExistsException => false }
    } finally {
      val _ = fs.delete(staged, false)
    }
  }

  def refusal(fs: FileSystem, path: Path): Option[LanceUsageException] = None
}

/** The store refuses to complete a file if its name exists by then. */
private[hadoop] case object ByConditionalCreate extends Placement {

  /** Values of Hadoop's `CreateFileOptionKeys` and of S3A's option, which the Hadoop that we compile with
    * lacks.
    */
  private val Condition = "fs.option.create.conditional.overwrite"
  private val WithoutLooking = "fs.s3a.create.performance"
  private val DirectoryBucket = "fs.s3a.capability.s3express.storage"

  def listing(fs: FileSystem, directory: Path): Listing =
    if (fs.hasPathCapability(directory, DirectoryBucket)) Listing.Whole else Listing.Ordered

  // Names of new files are unique, so none can exist.
  def create(fs: FileSystem, path: Path): WritableFile =
    new StreamedFile(fs, path, opened(fs, path)(_.overwrite(true)))

  def putIfAbsent(fs: FileSystem, path: Path, bytes: Array[Byte]): Boolean = Files.unlessTaken(fs, path) {
    val stream = opened(fs, path) { builder =>
      builder.overwrite(false)
      builder.must(Condition, true)
    }
    Files.write(stream, bytes)
  }

  private def opened(fs: FileSystem, path: Path)(
      set: FSDataOutputStreamBuilder[_, _] => Any
  ): FSDataOutputStream = {
    val builder: FSDataOutputStreamBuilder[_ <: FSDataOutputStream, _] = fs.createFile(path)
    builder.recursive()
    builder.opt(WithoutLooking, true)
    val _ = set(builder)
    builder.build()
  }

  def refusal(fs: FileSystem, path: Path): Option[LanceUsageException] =
    Option.unless(fs.hasPathCapability(path, Condition))(new LanceUsageException(
      s"$path cannot be written safely: two writers could make the same version of the table, since this S3A has no " +
        "conditional create, or it is switched off. Use hadoop-aws 3.4.2 or later, without " +
        "fs.s3a.create.conditional.enabled = false; or let DynamoDB order the commits, with a path s3+ddb://bucket/" +
        "table?ddbTableName=…; or name a handler or lock of your own as option 'commitHandler' (docs/stores.md)."
    ))
}

/** Like [[ByConditionalCreate]], for stores whose plain `create` is conditional. */
private[hadoop] case object ByCreate extends Placement {
  def listing(fs: FileSystem, directory: Path): Listing = Listing.Ordered

  def create(fs: FileSystem, path: Path): WritableFile = new StreamedFile(fs, path, fs.create(path, true))

  def putIfAbsent(fs: FileSystem, path: Path, bytes: Array[Byte]): Boolean =
    Files.unlessTaken(fs, path)(Files.write(fs.create(path, false), bytes))

  def refusal(fs: FileSystem, path: Path): Option[LanceUsageException] = None
}

/** An unknown file system, which is not written to. */
final private[hadoop] case class Unsafe(scheme: String) extends Placement {
  def listing(fs: FileSystem, directory: Path): Listing = Listing.Whole

  def create(fs: FileSystem, path: Path): WritableFile = ByCreate.create(fs, path)

  def putIfAbsent(fs: FileSystem, path: Path, bytes: Array[Byte]): Boolean = throw refused(path)

  def refusal(fs: FileSystem, path: Path): Option[LanceUsageException] = Some(refused(path))

  private def refused(path: Path) = new LanceUsageException(
    s"$path cannot be written safely: two writers could make the same version of the table, since no " +
      s"conditional create is known for $scheme://. Name a handler or lock of your own as option " +
      "'commitHandler', or, if nobody else writes to the table at the same time, give that option the " +
      "value 'unguarded' (docs/stores.md)."
  )
}

/** Placement for tables whose commits are ordered elsewhere. Other files are placed by `files`. */
final private[hadoop] case class Unguarded(files: Placement) extends Placement {
  override def renamesDirectories: Boolean = files.renamesDirectories
  def listing(fs: FileSystem, directory: Path): Listing = files.listing(fs, directory)
  def create(fs: FileSystem, path: Path): WritableFile = files.create(fs, path)

  def putIfAbsent(fs: FileSystem, path: Path, bytes: Array[Byte]): Boolean =
    if (files.refusal(fs, path).isEmpty) files.putIfAbsent(fs, path, bytes)
    else {
      val isFree = !fs.exists(path)
      if (isFree) Files.write(fs.create(path, true), bytes)
      isFree
    }

  def refusal(fs: FileSystem, path: Path): Option[LanceUsageException] = None
}
