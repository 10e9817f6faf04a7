package io.sparklance.spark.options

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException
import io.sparklance.spark.session.{SerializableConf, Session, TableLocation}
import io.sparklance.stores.{CommitChoice, StorageSettings, TableUri}

/** A table's store settings and commit handler, from options or a catalog.
  *
  * @param settings
  *   settings of Hadoop's file systems
  * @param commitHandler
  *   see [[LanceOptions.CommitHandlerOption]]
  */
final private[spark] case class StoreOptions(settings: Map[String, String], commitHandler: Option[String]) {

  def put(conf: Configuration): Unit = {
    StorageSettings.add(settings, conf)
    commitHandler.foreach(CommitChoice.setHandler(_, conf))
  }

  /** Returns these options with defaults from `others`. */
  def over(others: StoreOptions): StoreOptions =
    StoreOptions(others.settings ++ settings, commitHandler.orElse(others.commitHandler))

  /** Returns a table's location with these options and the session's defaults.
    *
    * @param path
    *   path or URI as the user gives it
    * @param further
    *   keys of Hadoop's configuration that are no settings of the table's
    */
  def locate(path: String, further: Map[String, String] = Map.empty): TableLocation = {
    val conf = Session.hadoopConf
    further.foreach { case (key, value) => conf.set(key, value) }
    over(StoreOptions.ofSession).put(conf)
    val uri = TableUri.parse(path, conf).qualified(conf)
    uri.records.foreach(CommitChoice.setRecords(_, conf))
    TableLocation(uri.root, new SerializableConf(conf))
  }

  /** Refuses options that come too late for a table that is already resolved. */
  def check(name: String, location: TableLocation): Unit = {
    val conf = location.conf.value
    val late = settings.collectFirst { case (key, value) if conf.get(key) != value => key }
      .orElse(commitHandler.filterNot(CommitChoice.handler(conf).contains).map(_ => "commitHandler"))
    late.foreach { key =>
      throw new LanceUsageException(
        s"Option '$key' comes too late for $name, which was resolved without it. Set it for the session, " +
          "or as spark.sql.catalog.<name>.<option> for all tables of a catalog lance; or use the table " +
          "by its path."
      )
    }
  }
}

private[spark] object StoreOptions {
  val none: StoreOptions = StoreOptions(Map.empty, None)

  /** Returns a table's location with the session's settings only. */
  def locate(path: String): TableLocation = none.locate(path)

  /** Whether a text can only be a path, and no name of a table. */
  def isPathOfWindows(text: String): Boolean = TableUri.isPathOfWindows(text)

  def isSetting(key: String): Boolean = key.startsWith(StorageSettings.Prefix)

  /** Reads the options of a statement or a catalog. */
  def of(options: CaseInsensitiveStringMap): StoreOptions =
    StoreOptions(
      options.asCaseSensitiveMap.asScala.filter { case (key, _) => isSetting(key) }.toMap,
      LanceOptions.CommitHandlerOption.in(options)
    )

  /** Returns the options with which the table at a location is found again by its path. */
  def at(location: TableLocation): Map[String, String] = {
    val conf = location.conf.value
    StorageSettings.in(conf) ++ CommitChoice.handler(conf).map(LanceOptions.CommitHandlerOption.name -> _)
  }

  /** Returns the session's defaults; its file system settings are in Hadoop's configuration already. */
  def ofSession: StoreOptions = StoreOptions(Map.empty, LanceOptions.defaultCommitHandler)
}
