package io.sparklance.stores

import org.apache.hadoop.conf.Configuration

/** A table's own settings of Hadoop's file systems. They may be secrets: no error or plan shows their values.
  */
private[sparklance] object StorageSettings {

  /** Prefix of their names. */
  val Prefix = "fs."

  /** Key that lists the names of a table's own settings. */
  private val NamesKey = "sparklance.storage.settings"

  def add(settings: Map[String, String], conf: Configuration): Unit = if (settings.nonEmpty) {
    settings.foreach { case (name, value) => conf.set(name, value) }
    conf.setStrings(NamesKey, (in(conf).keySet ++ settings.keySet).toSeq.sorted: _*)
  }

  def in(conf: Configuration): Map[String, String] =
    conf.getTrimmedStrings(NamesKey).toSeq.flatMap(name => Option(conf.get(name)).map(name -> _)).toMap
}
