package io.sparklance.stores.server

import org.apache.hadoop.conf.Configuration

import io.sparklance.LanceUsageException
import io.sparklance.io.hadoop.Schemes

/** Directories that hold all files of a server's tables. Manifests name other places, too: the sources of
  * shallow clones, further data directories, and blobs. Kept in Hadoop's configuration, so that it travels
  * with a table's location.
  *
  * @param directories
  *   empty for any
  */
final private[sparklance] class Granted(directories: Vector[String], conf: Configuration) {
  import Granted._

  private val prefixes = directories.map(each => s"${plain(each, conf)}/")

  def allows(path: String): Boolean = prefixes.isEmpty || {
    val whole = s"${plain(path, conf)}/"
    prefixes.exists(whole.startsWith) && !whole.contains("/../")
  }

  def check(path: String): Unit = if (!allows(path)) throw new LanceUsageException(
    s"The table refers to $path, which is in none of the directories that option 'locations' of the catalog grants: " +
      s"${directories.mkString(", ")}. Add its directory to the option, if the table may use it."
  )

  /** Returns the settings that [[Granted.in]] reads this from. */
  def settings: Map[String, String] =
    if (directories.isEmpty) Map.empty else Map(Key -> directories.mkString(","))
}

private[sparklance] object Granted {
  private val Key = "fs.sparklance.server.locations"

  def in(conf: Configuration): Granted = new Granted(conf.getTrimmedStrings(Key).toVector, conf)

  /** Returns a path, or a URI of Hadoop's, without a slash at its end. */
  private def plain(path: String, conf: Configuration): String =
    Schemes.hadoops(path, conf).stripPrefix("file://").stripPrefix("file:").stripSuffix("/")
}
