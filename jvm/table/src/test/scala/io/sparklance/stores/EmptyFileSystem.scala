package io.sparklance.stores

import java.io.FileNotFoundException
import java.net.URI

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.fs.{FSDataInputStream, FSDataOutputStream, FileStatus, FileSystem, Path}
import org.apache.hadoop.util.Progressable

/** In which there is nothing. */
class EmptyFileSystem extends FileSystem {
  private var uri: URI = _

  override def initialize(name: URI, conf: Configuration): Unit = {
    super.initialize(name, conf)
    uri = name
  }
  override def getUri: URI = uri
  override def getFileStatus(path: Path): FileStatus = throw new FileNotFoundException(path.toString)
  override def listStatus(path: Path): Array[FileStatus] = throw new FileNotFoundException(path.toString)
  override def open(path: Path, buffer: Int): FSDataInputStream =
    throw new FileNotFoundException(path.toString)
  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      buffer: Int,
      replication: Short,
      block: Long,
      progress: Progressable
  ): FSDataOutputStream = throw new UnsupportedOperationException
  override def append(path: Path, buffer: Int, progress: Progressable): FSDataOutputStream =
    throw new UnsupportedOperationException
  override def rename(from: Path, to: Path): Boolean = false
  override def delete(path: Path, recursive: Boolean): Boolean = false
  override def setWorkingDirectory(directory: Path): Unit = ()
  override def getWorkingDirectory: Path = new Path("/")
  override def mkdirs(path: Path, permission: FsPermission): Boolean = false
}
