package io.sparklance.io.hadoop

import org.apache.hadoop.fs.Options.OpenFileOptions._
import org.apache.hadoop.fs.{FSDataInputStream, FileStatus, FileSystem, FutureDataInputStreamBuilder, Path}
import org.apache.hadoop.util.functional.FutureIO

/** A path in a Hadoop file system. It may come to name another file, when a table is dropped and recreated.
  */
final private class HadoopFile(fs: FileSystem, path: Path) {
  import HadoopFile._

  /** Returns the store's current status of the file. */
  def status(): FileStatus = fs.getFileStatus(path)

  /** Opens the very file that a status describes. Without a status, clients that cache contents by name, as
    * S3A does from Hadoop 3.5 on, may return an older file.
    */
  def open(status: FileStatus): FSDataInputStream = awaited(opening.withFileStatus(status))

  /** Opens a file without asking for its status; for names that are never reused. */
  def open(size: Long): FSDataInputStream = awaited(opening.opt(FS_OPTION_OPENFILE_LENGTH, size.toString))

  private def opening: FutureDataInputStreamBuilder =
    fs.openFile(path).opt(FS_OPTION_OPENFILE_READ_POLICY, ReadPolicy)

  private def awaited(opening: FutureDataInputStreamBuilder): FSDataInputStream =
    FutureIO.awaitFuture(opening.build())
}

private object HadoopFile {

  /** Read policies in order of preference. */
  private val ReadPolicy = s"$FS_OPTION_OPENFILE_READ_POLICY_VECTOR, $FS_OPTION_OPENFILE_READ_POLICY_RANDOM"
}
