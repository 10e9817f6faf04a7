package io.sparklance.spark.session

import io.sparklance.dataset.{Dataset, TableRefs}
import io.sparklance.io.{ObjectStore, ReadTuning}
import io.sparklance.stores.{CommitChoice, Stores, TableUri}

/** Location of a table, with the configuration that its store needs; serializable for executors.
  *
  * @param root
  *   absolute, with its scheme
  * @param tuning
  *   read settings, if not those that suit the store
  */
final private[spark] case class TableLocation(
    root: String,
    conf: SerializableConf,
    tuning: ReadTuning = ReadTuning()
) {
  def store: ObjectStore = Stores.forTable(root, conf.value, tuning)

  /** Returns the URI as a user would write it. */
  def uri: String = TableUri(root, CommitChoice.records(conf.value)).toString

  /** Returns the location of a version, which may belong to a branch. */
  def at(dataset: Dataset): TableLocation = copy(root = dataset.root)

  /** Returns the location of a branch of the table. */
  def ofBranch(name: String): TableLocation = copy(root = TableRefs.rootOf(store, root, name))

  /** Returns the location for tasks that read files of a version but no blobs, which may be on other stores.
    * Local files need no Hadoop configuration, which would take longer to send than a row to find.
    */
  def forTasks(dataset: Dataset): TableLocation =
    if (Stores.isLocal(root) && dataset.manifest.basePaths.isEmpty) copy(conf = SerializableConf.empty)
    else this

  // The configuration does not count: two locations are equal if they are the same place.
  override def equals(other: Any): Boolean = other match {
    case that: TableLocation => root == that.root
    case _ => false
  }
  override def hashCode: Int = root.hashCode
  override def toString: String = uri
}
