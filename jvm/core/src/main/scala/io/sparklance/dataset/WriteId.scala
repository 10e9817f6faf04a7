package io.sparklance.dataset

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
    store.list(directory).map(_.name).filter(name => owns(name) && !kept(name)).foreach(name =>
      store.delete(StorePath.join(directory, name))
    )
  }

  /** The mark of one of the write's parts, of which each is to be told from the others. */
  def ofPart(number: Long): WriteId = WriteId(bits + number)

  private[dataset] def owns(fileName: String): Boolean = fileName.contains(f"$bits%016x.lance")
}

object WriteId {
  def random(): WriteId = WriteId(UUID.randomUUID().getLeastSignificantBits)
}
