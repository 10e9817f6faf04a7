package io.sparklance.spark

import java.net.URI

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path, RawLocalFileSystem}

/** The local disk as a file system of its own, with the scheme and the authority under which it was asked
  * for.
  */
abstract class OwnDisk extends RawLocalFileSystem {
  // None while the parent's constructor asks.
  private var uri: URI = _

  override def initialize(name: URI, conf: Configuration): Unit = {
    super.initialize(name, conf)
    uri = name
  }
  override def getUri: URI = if (uri == null) super.getUri else uri
  override def checkPath(path: Path): Unit = ()
  override def pathToFile(path: Path): java.io.File = new java.io.File(path.toUri.getPath)
}
