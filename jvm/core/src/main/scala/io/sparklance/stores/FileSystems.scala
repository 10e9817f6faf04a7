package io.sparklance.stores

import scala.collection.concurrent.TrieMap

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.security.UserGroupInformation

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
