package io.sparklance.table.commit

import java.io.IOException

import scala.collection.mutable

import io.sparklance.io.{ManifestRecord, ManifestRecords}

/** The records of one table, in memory. As in the database, only an existing record can be replaced. */
private[commit] class MemoryRecords extends ManifestRecords {
  val all = mutable.TreeMap.empty[Long, ManifestRecord]
  def latest(table: String): Option[ManifestRecord] = all.lastOption.map(_._2)
  def add(table: String, record: ManifestRecord): Boolean = {
    val isNew = !all.contains(record.version)
    if (isNew) all(record.version) = record
    isNew
  }
  override def replace(table: String, record: ManifestRecord): Unit =
    if (all.contains(record.version)) all(record.version) = record
    else throw new IOException("no such item")
  override def remove(table: String, record: ManifestRecord): Unit =
    if (all.get(record.version).contains(record)) { val _ = all.remove(record.version) }
}
