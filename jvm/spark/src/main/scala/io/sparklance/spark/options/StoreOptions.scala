package io.sparklance.spark.options

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException
import io.sparklance.spark.session.{SerializableConf, Session, TableLocation}
import io.sparklance.stores.{CommitChoice, StorageSettings, TableUri}

/** How the store of one table is reached, and how the table is committed to, as options or those of a catalog say it.
  *
  * @param settings of Hadoop's file systems
  * @param commitHandler as [[LanceOptions.CommitHandlerOption]]
  */
final private[spark] case class StoreOptions(settings: Map[String, String], commitHandler: Option[String]) {

  def put(conf: Configuration): Unit = {
    StorageSettings.add(settings, conf)
    commitHandler.foreach(CommitChoice.setHandler(_, conf))
  }

  /** Those of `others` that this does not say. */
  def over(others: StoreOptions): StoreOptions =
    StoreOptions(others.settings ++ settings, commitHandler.orElse(others.commitHandler))

  /** The location of a table, reached with these options and, where they are silent, with the session's.
    *
    * @param path or URI, as a user writes it
    */
  def locate(path: String): TableLocation = {
    val conf = Session.hadoopConf
    over(StoreOptions.ofSession).put(conf)
    val uri = TableUri.parse(path, conf).qualified(conf)
    uri.records.foreach(CommitChoice.setRecords(_, conf))
    TableLocation(uri.root, new SerializableConf(conf))
  }

  /** Refuses options that a table which was found without them cannot follow any more. */
  def check(name: String, location: TableLocation): Unit = {
    val conf = location.conf.value
    val late = settings.collectFirst { case (key, value) if conf.get(key) != value => key }
      .orElse(commitHandler.filterNot(CommitChoice.handler(conf).contains).map(_ => "commitHandler"))
    late.foreach { key =>
      throw new LanceUsageException(
        s"Option '$key' comes too late for $name, which was found without it. Set it for the session, or as " +
          "spark.sql.catalog.<name>.<option> for all tables of a catalog lance; or use the table by its path."
      )
    }
  }
}

private[spark] object StoreOptions {
  val none: StoreOptions = StoreOptions(Map.empty, None)

  /** The location of a table for which nothing but the session's settings counts. */
  def locate(path: String): TableLocation = none.locate(path)

  def isSetting(key: String): Boolean = key.startsWith(StorageSettings.Prefix)

  /** What a statement or a catalog says itself. */
  def of(options: CaseInsensitiveStringMap): StoreOptions =
    StoreOptions(
      options.asCaseSensitiveMap.asScala.filter { case (key, _) => isSetting(key) }.toMap,
      LanceOptions.CommitHandlerOption.in(options)
    )

  /** The session's defaults; its settings of file systems are Hadoop's anyhow. */
  def ofSession: StoreOptions = StoreOptions(Map.empty, LanceOptions.defaultCommitHandler)

  // Options of a write that begins with a path get no further than to it; the table is looked up again, by its name.
  private val ofWrite = new ThreadLocal[Option[(String, StoreOptions)]] {
    override def initialValue: Option[(String, StoreOptions)] = None
  }

  /** While `body` runs, tables that are found at `path` are found with these options. */
  def during[A](path: String, options: StoreOptions)(body: => A): A = {
    val before = ofWrite.get
    ofWrite.set(Some(path -> options))
    try body
    finally ofWrite.set(before)
  }

  def duringWriteTo(path: String): StoreOptions =
    ofWrite.get.collect { case (`path`, options) => options }.getOrElse(none)
}
