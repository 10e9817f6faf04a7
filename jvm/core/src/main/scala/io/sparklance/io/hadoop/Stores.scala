package io.sparklance.io.hadoop

import java.net.URI

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import io.sparklance.io.{LocalStore, ObjectStore}

/** Finds the store in which a table lies. */
object Stores {

  /** The store for a table's root: a plain path goes to the file system that Hadoop's configuration names as default. */
  def forRoot(root: String, conf: Configuration): ObjectStore = {
    val path = new Path(root)
    val scheme = Option(path.toUri.getScheme)
      .getOrElse(Option(URI.create(conf.get("fs.defaultFS", "file:///")).getScheme).getOrElse("file"))
    if (scheme == "file") LocalStore else new HadoopStore(path.getFileSystem(conf), scheme)
  }
}
