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

/** How new files come to their names in a file system, and how of several writers of one name exactly one succeeds. */
sealed private[hadoop] trait Placement {
  def create(fs: FileSystem, path: Path): WritableFile

  /** False if there is a file of that name, which may also be ours, when an answer was lost. */
  def putIfAbsent(fs: FileSystem, path: Path, bytes: Array[Byte]): Boolean

  def listing(fs: FileSystem, directory: Path): Listing

  /** Whether a directory is renamed in one step. */
  def renamesDirectories: Boolean = false

  /** Why it would not be safe to write. */
  def refusal(fs: FileSystem, path: Path): Option[LanceUsageException]
}

private[hadoop] object Placement {

  /** What is known of a file system.
    *
    *   - HDFS: `rename` is atomic, and fails when the target exists. A directory is listed by the names in it; so it is in the
    *     services below, but not in what `viewfs` may lead to, nor in directory buckets of S3.
    *   - ABFS: likewise, for it asks the service with `If-None-Match: *`. A file that is created there is visible while it
    *     is being written, so that does not do.
    *   - S3A: an object is there when it is complete. `createFile` with an option of Hadoop 3.4.2 asks for `If-None-Match: *`.
    *   - GCS: likewise, and `create` without overwriting asks for generation 0, which is none.
    */
  def of(scheme: String): Placement = scheme match {
    case "hdfs" | "abfs" | "abfss" => ByRename(Listing.Ordered)
    case "viewfs" => ByRename(Listing.Whole)
    case "s3a" => ByConditionalCreate
    case "gs" => ByCreate
    case _ => Unsafe(scheme)
  }
}

/** A file is written under a temporary name, and renamed. */
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
      // Some implementations say false, some throw, and only because of a file of that name is it no failure.
      try fs.rename(staged, path) || Files.isTaken(fs, path)
      catch { case _: FileAlreadyExistsException => false }
    } finally {
      val _ = fs.delete(staged, false)
    }
  }

  def refusal(fs: FileSystem, path: Path): Option[LanceUsageException] = None
}

/** The store refuses a file when it is complete, if one of that name is there by then. */
private[hadoop] case object ByConditionalCreate extends Placement {

  /** The names of Hadoop's `CreateFileOptionKeys` and of S3A's option, which are newer than the Hadoop that we compile with. */
  private val Condition = "fs.option.create.conditional.overwrite"
  private val WithoutLooking = "fs.s3a.create.performance"
  private val DirectoryBucket = "fs.s3a.capability.s3express.storage"

  def listing(fs: FileSystem, directory: Path): Listing =
    if (fs.hasPathCapability(directory, DirectoryBucket)) Listing.Whole else Listing.Ordered

  // Names of new files are unique, so there is nothing to look for.
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

/** The same, where it is what the plain `create` does. */
private[hadoop] case object ByCreate extends Placement {
  def listing(fs: FileSystem, directory: Path): Listing = Listing.Ordered

  def create(fs: FileSystem, path: Path): WritableFile = new StreamedFile(fs, path, fs.create(path, true))

  def putIfAbsent(fs: FileSystem, path: Path, bytes: Array[Byte]): Boolean =
    Files.unlessTaken(fs, path)(Files.write(fs.create(path, false), bytes))

  def refusal(fs: FileSystem, path: Path): Option[LanceUsageException] = None
}

/** A file system of which nothing is known. */
final private[hadoop] case class Unsafe(scheme: String) extends Placement {
  def listing(fs: FileSystem, directory: Path): Listing = Listing.Whole

  def create(fs: FileSystem, path: Path): WritableFile = ByCreate.create(fs, path)

  def putIfAbsent(fs: FileSystem, path: Path, bytes: Array[Byte]): Boolean = throw refused(path)

  def refusal(fs: FileSystem, path: Path): Option[LanceUsageException] = Some(refused(path))

  private def refused(path: Path) = new LanceUsageException(
    s"$path cannot be written safely: two writers could make the same version of the table, since no way is known to " +
      s"write a file on $scheme:// unless there is one. Name a handler or lock of your own as option 'commitHandler', or, " +
      "if nobody else writes to the table at the same time, give that option the value 'unguarded' (docs/stores.md)."
  )
}

/** Where something else sees to it that versions are made once. Other files are put as well as the file system can. */
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
