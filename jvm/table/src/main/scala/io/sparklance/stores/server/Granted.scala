package io.sparklance.stores.server

import java.io.IOException
import java.nio.file.{Files, Path => LocalPath, Paths}

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}

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

  // One that lacks its storage account matters only to tables in Azure.
  private val (known, incomplete) = directories.partition(each => Try(prefix(each, conf)).isSuccess)
  private val prefixes = known.flatMap(prefix(_, conf))

  /** @param place location of a table; without a scheme, in Hadoop's default file system */
  def allows(place: String): Boolean = directories.isEmpty ||
    !s"$place/".contains("/../") && prefix(place, conf).exists(whole =>
      prefixes.exists(whole.startsWith) ||
        whole.startsWith("abfs") && incomplete.flatMap(prefix(_, conf)).exists(whole.startsWith)
    )

  /** @param path of a file; without a scheme, on this machine */
  def check(path: String): Unit = if (!allows(if (path.startsWith("/")) s"file://$path" else path))
    throw new LanceUsageException(
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

  private val Root = new Path("/")
  private val Ordered = "s3\\+ddb://([^?]*).*".r

  /** Returns what URIs of files in a place begin with, as Hadoop writes them; None if it is no absolute
    * place.
    */
  private def prefix(place: String, conf: Configuration): Option[String] = {
    val uri = place match {
      case Ordered(rest) => s"s3a://$rest"
      case other => Schemes.hadoops(other, conf)
    }
    try
      Option.when(uri.startsWith("/") || Schemes.of(uri).isDefined)(qualified(new Path(uri), conf))
        .flatMap(withoutLinks).map(path => s"${path.toString.stripSuffix("/")}/")
    catch { case _: IllegalArgumentException => None }
  }

  /** Follows the symbolic links of a local path: they may lead out of a directory. Returns None if one leads
    * nowhere.
    */
  private def withoutLinks(path: Path): Option[Path] =
    if (path.toUri.getScheme != "file") Some(path)
    else followed(Paths.get(path.toUri.getPath)).map(found => new Path("file", null, found.toString))

  private def followed(path: LocalPath): Option[LocalPath] =
    try Some(path.toRealPath())
    catch {
      case _: IOException if Files.isSymbolicLink(path) => None
      case _: IOException =>
        Option(path.getParent).fold(Option(path))(followed(_).map(_.resolve(path.getFileName)))
    }

  /** Without a look at the file system, which may need keys or jars. */
  private def qualified(path: Path, conf: Configuration): Path = {
    val (uri, default) = (path.toUri, FileSystem.getDefaultUri(conf))
    val isOfDefault =
      uri.getScheme == null || uri.getScheme == default.getScheme && uri.getAuthority == null
    if (isOfDefault) path.makeQualified(default, Root) else path
  }
}
