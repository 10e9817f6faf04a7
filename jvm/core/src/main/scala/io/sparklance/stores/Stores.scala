package io.sparklance.stores

import java.net.URI

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}

import io.sparklance.io.hadoop.{HadoopStore, Schemes}
import io.sparklance.io.{LocalStore, ObjectStore, ReadTuning}
import io.sparklance.stores.server.Granted

/** Finds the store in which a table lies. */
private[sparklance] object Stores {

  /** Whether a root with a scheme is in the local file system, which needs no configuration. */
  def isLocal(root: String): Boolean = root.startsWith("file:/")

  /** Returns the store for a table and all files that it refers to. [[CommitChoice]] reads the commit handler
    * from `conf`.
    *
    * @param root
    *   a root of [[TableUri]]
    */
  def forTable(root: String, conf: Configuration, tuning: ReadTuning = ReadTuning()): ObjectStore =
    CommitChoice.in(conf, root) match {
      case CommitChoice.OfStore =>
        new TableStore(root, forRoot(root, conf, tuning), forRoot(_, conf, tuning), Granted.in(conf))
      case CommitChoice.Other(handler) =>
        val home = at(root, conf, tuning)(HadoopStore.unguarded)
        new TableStore(root, home, forRoot(_, conf, tuning), Granted.in(conf)) {
          // Lazy, because executors write only data files.
          override lazy val commits = handler()
        }
    }

  /** Returns the store for a path; a plain path belongs to the default file system of Hadoop's configuration.
    */
  def forRoot(root: String, conf: Configuration, tuning: ReadTuning = ReadTuning()): ObjectStore =
    at(root, conf, tuning)(HadoopStore.of)

  private def at(root: String, conf: Configuration, tuning: ReadTuning)(
      distant: (FileSystem, String, ReadTuning) => ObjectStore
  ): ObjectStore = {
    val path = new Path(Schemes.hadoops(root, conf))
    val scheme = Option(path.toUri.getScheme)
      .getOrElse(Option(URI.create(conf.get("fs.defaultFS", "file:///")).getScheme).getOrElse("file"))
    if (scheme != "file") distant(FileSystems.of(path, conf), scheme, tuning)
    else if (tuning == ReadTuning()) LocalStore
    else LocalStore.tuned(tuning)
  }
}
