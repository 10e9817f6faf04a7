package io.sparklance.stores

import org.apache.hadoop.conf.Configuration

/** Settings of Hadoop's file systems that are one table's own. They may be secrets: no error or plan shows their values. */
object StorageSettings {

  /** With which their names begin. */
  val Prefix = "fs."

  /** The names, so that they are told from what is anybody's. */
  private val NamesKey = "sparklance.storage.settings"

  def add(settings: Map[String, String], conf: Configuration): Unit = if (settings.nonEmpty) {
    settings.foreach { case (name, value) => conf.set(name, value) }
    conf.setStrings(NamesKey, settings.keys.toSeq.sorted: _*)
  }

  def in(conf: Configuration): Map[String, String] =
    conf.getTrimmedStrings(NamesKey).toSeq.flatMap(name => Option(conf.get(name)).map(name -> _)).toMap
}
