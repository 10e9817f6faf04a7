package io.sparklance.table

import java.util.UUID

import io.sparklance.io.{ObjectStore, StorePath}

/** Marks the names of all data files of one write, so that they are found again when it fails: those that were finished but
  * never reported, and those that are still being written.
  */
final case class WriteId(bits: Long) {

  /** Removes all files of this write, but some, from a table's data directory. Tasks that are still at work fail by it.
    *
    * @param kept their names
    */
  def removeFiles(store: ObjectStore, root: String, kept: Set[String] = Set.empty): Unit = {
    val directory = StorePath.join(root, "data")
    store.list(directory).map(_.name).filter(name => owns(name) && !kept(name)).foreach { name =>
      WriteId.stemIn(name).foreach(WriteId.removeBeside(store, directory, _))
      store.delete(StorePath.join(directory, name))
    }
  }

  /** The mark of one of the write's parts, of which each is to be told from the others. */
  def ofPart(number: Long): WriteId = WriteId(bits + number)

  private[sparklance] def owns(fileName: String): Boolean = fileName.contains(f"$bits%016x.lance")
}

object WriteId {

  /** Removes a data file, and those of blobs beside it.
    *
    * @param root of the table
    */
  def removeFile(store: ObjectStore, root: String, fileName: String): Unit = {
    val directory = StorePath.join(root, "data")
    stemIn(fileName).foreach(removeBeside(store, directory, _))
    store.delete(StorePath.join(directory, fileName))
  }

  /** Most files have none beside them. */
  private def removeBeside(store: ObjectStore, directory: String, stem: String): Unit = {
    val beside = StorePath.join(directory, stem)
    val files = store.list(beside)
    files.foreach(file => store.delete(StorePath.join(beside, file.name)))
    if (files.nonEmpty) store.delete(beside)
  }

  /** Files that are still being written have other names around theirs. */
  private def stemIn(name: String): Option[String] =
    "[01]{24}[0-9a-f]{26}(?=\\.lance)".r.findFirstIn(name)
  def random(): WriteId = WriteId(UUID.randomUUID().getLeastSignificantBits)
}
