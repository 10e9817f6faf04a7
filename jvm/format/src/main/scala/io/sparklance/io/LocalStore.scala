package io.sparklance.io

import java.io.{FileNotFoundException, IOException, OutputStream}
import java.nio.ByteBuffer
import java.nio.channels.{ClosedChannelException, FileChannel}
import java.nio.file.StandardOpenOption.{CREATE_NEW, READ, WRITE}
import java.nio.file.attribute.BasicFileAttributes
import java.nio.file.{
  FileAlreadyExistsException,
  FileVisitResult,
  Files,
  NoSuchFileException,
  NotDirectoryException,
  Path,
  Paths,
  SimpleFileVisitor,
  StandardCopyOption
}
import java.util.concurrent.TimeUnit
import java.util.{Comparator, UUID}

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.sparklance.LanceTableNotFoundException
import io.sparklance.data.ByteRange

/** The local file system. Paths are plain ones or `file:` URIs.
  *
  * Files are written under a temporary name, which readers ignore, until they are complete:
  *   - a data file and a replacement are renamed;
  *   - a commit is hard-linked to its name, which fails when the name exists. Rename would replace it, and a
  *     create that then streams would show half a file. The file is usually forced to disk before. After a
  *     lost race it is linked first, because forcing may take longer than a whole commit by writers that skip
  *     it, and would lose every race.
  */
private[sparklance] class LocalStore private (val profile: ReadProfile) extends ObjectStore {
  import LocalStore._

  def open(path: String, knownSize: Option[Long]): ReadableFile = reportingMissing(path) {
    val target = local(path)
    val modified = Files.getLastModifiedTime(target).to(TimeUnit.NANOSECONDS)
    new LocalReadableFile(path, modified, FileChannel.open(target, READ))
  }

  def create(path: String): WritableFile = {
    val target = local(path)
    createParent(target)
    val staged = staging(target)
    new LocalWritableFile(path, target, staged, FileChannel.open(staged, CREATE_NEW, WRITE))
  }

  def put(path: String, bytes: Array[Byte]): Unit = {
    val file = create(path)
    try {
      file.stream.write(bytes)
      file.commit()
    } finally file.abort()
  }

  /** Writes without waiting for the disk. */
  override def putExpendable(path: String, bytes: Array[Byte]): Unit = staged(path, bytes) { (file, _) =>
    val _ = Files.move(file, local(path), StandardCopyOption.ATOMIC_MOVE)
  }

  def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = staged(path, bytes) { (file, channel) =>
    channel.force(true)
    linked(file, local(path))
  }

  override def claim(path: String, bytes: Array[Byte]): Boolean = staged(path, bytes) { (file, channel) =>
    val isOurs = linked(file, local(path))
    if (isOurs) channel.force(true)
    isOurs
  }

  def list(directory: String): Vector[FileEntry] =
    try
      Using.resource(Files.newDirectoryStream(local(directory))) { entries =>
        val found = Vector.newBuilder[FileEntry]
        entries.forEach(p => entry(p).foreach(found += _))
        found.result()
      }
    catch { case _: NoSuchFileException | _: NotDirectoryException => Vector.empty }

  def walk(directory: String)(visit: FileEntry => Unit): Unit =
    if (Files.isDirectory(local(directory))) {
      // A root that is a symbolic link would be visited as a file.
      val root = local(directory).toRealPath()
      val _ = Files.walkFileTree(root, new Visitor(root, visit))
    }

  override def names(directory: String)(isEnough: String => Boolean): Vector[FileName] =
    // The only listing of the JDK that creates no object for each name besides the name.
    Option(local(directory).toFile.list()) match {
      case Some(found) => found.iterator.map(FileName(_, None)).toVector
      case None if Files.isDirectory(local(directory)) =>
        throw new IOException(s"the directory $directory cannot be listed")
      case None => Vector.empty
    }

  def directories(directory: String): Vector[String] =
    try
      Using.resource(Files.newDirectoryStream(local(directory), (path: Path) => Files.isDirectory(path))) {
        _.iterator.asScala.map(_.getFileName.toString).toVector
      }
    catch { case _: NoSuchFileException => Vector.empty }

  override def rename(directory: String, to: String): Boolean = reportingMissing(directory) {
    val isFree = !exists(to)
    // A concurrently created directory is replaced only if it is empty.
    if (isFree) { val _ = Files.move(local(directory), local(to), StandardCopyOption.ATOMIC_MOVE) }
    isFree
  }

  def delete(path: String): Unit = {
    val _ = Files.deleteIfExists(local(path))
  }

  def deleteTree(directory: String): Unit = if (Files.exists(local(directory)))
    Using.resource(Files.walk(local(directory))) { all =>
      all.sorted(Comparator.reverseOrder[Path]).forEach { path =>
        val _ = Files.deleteIfExists(path)
      }
    }

  def exists(path: String): Boolean = Files.exists(local(path))

}

private[sparklance] object LocalStore extends LocalStore(ReadProfile.LocalDisk) {
  def tuned(tuning: ReadTuning): LocalStore = new LocalStore(tuning.of(ReadProfile.LocalDisk))

  /** Largest transfer of one call: the JDK copies through a direct buffer of that size, which it keeps for
    * the thread.
    */
  final private[io] val MaxTransfer = 1 << 20

  /** Converts a `file:` URI or a plain path to a JDK path. */
  private[io] def local(path: String): Path =
    if (path.startsWith("file:")) Paths.get(withoutScheme(path)) else Paths.get(path)

  /** Strips the scheme: `file:/a`, `file:///a` and `file://localhost/a` are all `/a`. Percent signs are
    * literal, as in Hadoop paths.
    */
  private def withoutScheme(uri: String): String = {
    val rest = uri.stripPrefix("file:")
    if (rest.startsWith("//")) rest.substring(math.max(rest.indexOf('/', 2), 1)) else rest
  }

  /** Returns the entry of a file; None for directories, and for entries that vanish meanwhile. */
  private def entry(path: Path): Option[FileEntry] =
    try {
      val a = Files.readAttributes(path, classOf[BasicFileAttributes])
      if (a.isDirectory) None
      else Some(FileEntry(path.getFileName.toString, a.size, a.lastModifiedTime.toMillis))
    } catch { case _: NoSuchFileException => None }

  /** Visits files by their paths below `root`. */
  final private class Visitor(root: Path, visit: FileEntry => Unit) extends SimpleFileVisitor[Path] {
    override def visitFile(path: Path, attributes: BasicFileAttributes): FileVisitResult = {
      val name = root.relativize(path).iterator.asScala.mkString("/")
      visit(FileEntry(name, attributes.size, attributes.lastModifiedTime.toMillis))
      FileVisitResult.CONTINUE
    }

    override def visitFileFailed(path: Path, failure: IOException): FileVisitResult = failure match {
      case _: NoSuchFileException => FileVisitResult.CONTINUE
      case other => throw other
    }
  }

  private def createParent(target: Path): Unit =
    Option(target.getParent).foreach(Files.createDirectories(_))

  private def staging(target: Path): Path =
    target.resolveSibling(s".tmp_${target.getFileName}_${UUID.randomUUID()}")

  /** Writes a file under a temporary name, and removes that name afterwards. */
  private def staged[A](path: String, bytes: Array[Byte])(body: (Path, FileChannel) => A): A = {
    val target = local(path)
    createParent(target)
    val file = staging(target)
    try
      Using.resource(FileChannel.open(file, CREATE_NEW, WRITE)) { channel =>
        writeFully(channel, ByteBuffer.wrap(bytes))
        body(file, channel)
      }
    finally {
      val _ = Files.deleteIfExists(file)
    }
  }

  /** Returns false if the name is taken. */
  private def linked(file: Path, name: Path): Boolean =
    try {
      val _ = Files.createLink(name, file)
      true
    } catch { case _: FileAlreadyExistsException => false }

  private[io] def writeFully(channel: FileChannel, bytes: ByteBuffer): Unit =
    while (bytes.hasRemaining) channel.write(bytes)

  private[io] def reportingMissing[A](path: String)(body: => A): A =
    try body
    catch { case e: NoSuchFileException => throw new FileNotFoundException(path).initCause(e) }
}

/** An open file with a channel of its own: interrupting a thread in a read closes the channel for all its
  * users.
  */
final private class LocalReadableFile(val path: String, modifiedNanos: Long, channel: FileChannel)
    extends ReadableFile {
  val size: Long = channel.size
  def stamp: Option[FileStamp] = Some(FileStamp(ReadProfile.Local.lane, path, size, modifiedNanos))

  def read(range: ByteRange, target: Array[Byte], at: Int): Unit = {
    ReadableFile.check(this, range)
    try fill(range, target, at)
    catch {
      case e: IOException if !e.isInstanceOf[ClosedChannelException] =>
        throw new IOException(
          s"bytes [${range.offset}, ${range.end}) of $path cannot be read: ${e.getMessage}",
          e
        )
    }
  }

  private def fill(range: ByteRange, target: Array[Byte], at: Int): Unit = {
    val buffer = ByteBuffer.wrap(target, at, range.length.toInt)
    var position = range.offset
    while (buffer.hasRemaining) {
      val limit = buffer.limit()
      buffer.limit(math.min(limit, buffer.position() + LocalStore.MaxTransfer))
      val n = channel.read(buffer, position)
      if (n < 0) throw ReadableFile.endedEarly(this, range)
      position += n
      buffer.limit(limit)
    }
  }

  def close(): Unit = channel.close()
}

final private class LocalWritableFile(val path: String, target: Path, staged: Path, channel: FileChannel)
    extends WritableFile {
  val stream: OutputStream = new OutputStream {
    override def write(b: Int): Unit = write(Array(b.toByte))
    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit =
      RangeCoalescer.split(ByteRange(offset.toLong, length.toLong), LocalStore.MaxTransfer.toLong).foreach {
        part =>
          LocalStore.writeFully(channel, ByteBuffer.wrap(bytes, part.offset.toInt, part.length.toInt))
      }
  }

  def commit(): Unit = {
    channel.force(true)
    channel.close()
    try { val _ = Files.move(staged, target, StandardCopyOption.ATOMIC_MOVE) }
    catch { case e: NoSuchFileException => throw removed(e) }
  }

  private def removed(cause: Throwable) = new LanceTableNotFoundException(
    s"$path cannot be completed: its directory was removed while the file was written, perhaps because the " +
      "table was dropped; run the statement again if the table exists",
    cause
  )

  def abort(): Unit = {
    channel.close()
    val _ = Files.deleteIfExists(staged)
  }
}
