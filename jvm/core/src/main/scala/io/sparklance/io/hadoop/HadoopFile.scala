package io.sparklance.io.hadoop

import org.apache.hadoop.fs.Options.OpenFileOptions._
import org.apache.hadoop.fs.{FSDataInputStream, FileStatus, FileSystem, FutureDataInputStreamBuilder, Path}
import org.apache.hadoop.util.functional.FutureIO

/** A place in a Hadoop file system. A name may come to be another file's, when a table is dropped and created anew. */
final private class HadoopFile(fs: FileSystem, path: Path) {
  import HadoopFile._

  /** What the store says now. */
  def status(): FileStatus = fs.getFileStatus(path)

  /** A stream of the very file that a status tells of. Clients of object stores that keep contents, as S3A's does from Hadoop
    * 3.5 on, without it take what they remember of that name.
    */
  def open(status: FileStatus): FSDataInputStream = awaited(opening.withFileStatus(status))

  /** Without a look at what is there, for names that are never another file's. */
  def open(size: Long): FSDataInputStream = awaited(opening.opt(FS_OPTION_OPENFILE_LENGTH, size.toString))

  private def opening: FutureDataInputStreamBuilder =
    fs.openFile(path).opt(FS_OPTION_OPENFILE_READ_POLICY, ReadPolicy)

  private def awaited(opening: FutureDataInputStreamBuilder): FSDataInputStream =
    FutureIO.awaitFuture(opening.build())
}

private object HadoopFile {

  /** The first of these that a store knows. */
  private val ReadPolicy = s"$FS_OPTION_OPENFILE_READ_POLICY_VECTOR, $FS_OPTION_OPENFILE_READ_POLICY_RANDOM"
}
