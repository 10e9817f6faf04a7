package io.sparklance.stores

import scala.annotation.tailrec
import scala.collection.concurrent.TrieMap

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path, UnsupportedFileSystemException}
import org.apache.hadoop.security.UserGroupInformation
import org.apache.hadoop.util.VersionInfo

import io.sparklance.LanceFileSystemNotFoundException

/** File systems of tables with settings of their own. Hadoop caches one file system for each bucket and user,
  * with the first configuration it saw, so these are cached here. They last as long as the JVM, like
  * Hadoop's.
  */
private[stores] object FileSystems {
  final private case class Access(
      place: Option[String],
      authority: Option[String],
      user: UserGroupInformation,
      settings: Map[String, String]
  )

  private val known = TrieMap.empty[Access, FileSystem]

  def of(path: Path, conf: Configuration): FileSystem = MissingFileSystem.naming(path) {
    val settings = StorageSettings.in(conf)
    if (settings.isEmpty) path.getFileSystem(conf)
    else {
      val uri = path.toUri
      val user = UserGroupInformation.getCurrentUser
      val access = Access(Option(uri.getScheme), Option(uri.getAuthority), user, settings)
      known.getOrElseUpdate(access, FileSystem.newInstance(uri, conf))
    }
  }
}

/** Recognizes that the jar of a file system is missing, which Hadoop reports in three ways: it knows no class
  * for the scheme, does not find the class, or does not find what that needs.
  */
private[stores] object MissingFileSystem {

  /** The module of Hadoop that has the file system of a scheme. */
  private val modules = Map(
    "s3" -> "hadoop-aws",
    "s3a" -> "hadoop-aws",
    "abfs" -> "hadoop-azure",
    "abfss" -> "hadoop-azure",
    "wasb" -> "hadoop-azure",
    "wasbs" -> "hadoop-azure",
    "gs" -> "hadoop-gcp",
    "oss" -> "hadoop-aliyun"
  )

  /** Runs `body`, which opens the file system of a path. */
  def naming[A](path: Path)(body: => A): A =
    try body
    catch {
      case e @ (_: Exception | _: NoClassDefFoundError) if isMissing(e) => throw error(path, e)
    }

  @tailrec private def isMissing(e: Throwable): Boolean = e match {
    case null => false
    case _: UnsupportedFileSystemException | _: ClassNotFoundException | _: NoClassDefFoundError => true
    case other => isMissing(other.getCause)
  }

  private def error(path: Path, cause: Throwable): LanceFileSystemNotFoundException = {
    val scheme = Option(path.toUri.getScheme).getOrElse("")
    val cure =
      modules.get(scheme).fold(s"Add the jar that has the file system, and set fs.$scheme.impl to its class") {
        module =>
          s"Add it when the session starts, as with --packages org.apache.hadoop:$module:${VersionInfo.getVersion} or " +
            "spark.jars.packages"
      }
    new LanceFileSystemNotFoundException(
      s"Spark cannot open $path: the file system of '$scheme:' is not on its class path. $cure; see docs/stores.md.",
      cause
    )
  }
}
