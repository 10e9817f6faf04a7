package io.sparklance.stores

import scala.collection.concurrent.TrieMap

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.security.UserGroupInformation

/** Hadoop's file systems. It keeps one for each bucket and user, made with the first configuration that came along; those of
  * tables that bring settings of their own are therefore kept here. They last as long as the JVM, as Hadoop's do.
  */
private[stores] object FileSystems {
  final private case class Access(
      place: Option[String],
      authority: Option[String],
      user: UserGroupInformation,
      settings: Map[String, String]
  )

  private val known = TrieMap.empty[Access, FileSystem]

  def of(path: Path, conf: Configuration): FileSystem = {
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
