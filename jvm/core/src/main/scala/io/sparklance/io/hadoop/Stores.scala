package io.sparklance.io.hadoop

import java.net.URI

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import io.sparklance.io.{LocalStore, ObjectStore, ReadTuning}

/** Finds the store in which a table lies. */
object Stores {

  /** Whether a table whose root has a scheme lies in the machine's own file system, for which no configuration counts. */
  def isLocal(root: String): Boolean = root.startsWith("file:/")

  /** The store for a table's root: a plain path goes to the file system that Hadoop's configuration names as default. */
  def forRoot(root: String, conf: Configuration, tuning: ReadTuning = ReadTuning()): ObjectStore = {
    val path = new Path(root)
    val scheme = Option(path.toUri.getScheme)
      .getOrElse(Option(URI.create(conf.get("fs.defaultFS", "file:///")).getScheme).getOrElse("file"))
    if (scheme != "file") new HadoopStore(path.getFileSystem(conf), scheme, tuning)
    else if (tuning == ReadTuning()) LocalStore
    else LocalStore.tuned(tuning)
  }
}
