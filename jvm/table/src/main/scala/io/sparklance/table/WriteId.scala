package io.sparklance.table

import java.util.UUID

import io.sparklance.io.{ObjectStore, StorePath}

/** A mark in the names of all data files of one write. By it, a failed write finds its files: finished ones
  * that were never reported, and unfinished ones.
  */
final private[sparklance] case class WriteId(bits: Long) {

  /** Removes all files of this write except `kept` from a table's data directory. Running tasks fail as a
    * consequence.
    *
    * @param kept
    *   names of files to keep
    */
  def removeFiles(store: ObjectStore, root: String, kept: Set[String] = Set.empty): Unit = {
    val directory = StorePath.join(root, "data")
    store.list(directory).map(_.name).filter(name => owns(name) && !kept(name)).foreach { name =>
      WriteId.stemIn(name).foreach(WriteId.removeBeside(store, directory, _))
      store.delete(StorePath.join(directory, name))
    }
  }

  /** Returns a distinct mark for a part of the write. */
  def ofPart(number: Long): WriteId = WriteId(bits + number)

  private[sparklance] def owns(fileName: String): Boolean = fileName.contains(f"$bits%016x.lance")
}

private[sparklance] object WriteId {

  /** Removes a data file, and the blob files beside it.
    *
    * @param root
    *   the table's root
    */
  def removeFile(store: ObjectStore, root: String, fileName: String): Unit = {
    val directory = StorePath.join(root, "data")
    stemIn(fileName).foreach(removeBeside(store, directory, _))
    store.delete(StorePath.join(directory, fileName))
  }

  /** Removes the directory beside a data file; most have none. */
  private def removeBeside(store: ObjectStore, directory: String, stem: String): Unit = {
    val beside = StorePath.join(directory, stem)
    val files = store.list(beside)
    files.foreach(file => store.delete(StorePath.join(beside, file.name)))
    if (files.nonEmpty) store.delete(beside)
  }

  /** Finds the mark in a name; unfinished files have a prefix and suffix around it. */
  private def stemIn(name: String): Option[String] =
    "[01]{24}[0-9a-f]{26}(?=\\.lance)".r.findFirstIn(name)
  def random(): WriteId = WriteId(UUID.randomUUID().getLeastSignificantBits)
}
