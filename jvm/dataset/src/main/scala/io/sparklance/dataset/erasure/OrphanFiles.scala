package io.sparklance.dataset.erasure

import scala.util.{Try, Using}

import io.sparklance.data.FileVersion
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.file.FileReader
import io.sparklance.io.{ObjectStore, StorePath}
import io.sparklance.schema.LanceSchema
import io.sparklance.table.DataFileName

/** A data file of which no version speaks: of a failed write, or of one that has not committed yet.
  *
  * @param path
  *   absolute
  */
final private[sparklance] case class OrphanFile(path: String, size: Long, modifiedMillis: Long) {
  def name: String = FragmentState.name(path)
}

private[sparklance] object OrphanFiles {

  /** Returns the orphans in the data directory of a table or branch.
    *
    * @param known
    *   names of files that versions speak of
    */
  def in(store: ObjectStore, root: String, known: String => Boolean): Vector[OrphanFile] = {
    val directory = StorePath.join(root, "data")
    store.list(directory).filter(file => file.name.endsWith(".lance") && !known(file.name)).map { file =>
      OrphanFile(StorePath.join(directory, file.name), file.size, file.modifiedMillis)
    }
  }

  /** Returns the orphans that can be read, as fragments of a version: those of the states have the numbers of
    * the files.
    */
  def layer(dataset: Dataset, orphans: Vector[OrphanFile]): Option[StateLayer] = {
    val readable = orphans.flatMap(orphan => written(dataset.store, orphan))
    Option.when(readable.nonEmpty) {
      val states = readable.zipWithIndex.map { case (file, i) =>
        val fragment = Dataset.fragment(file).withId(i.toLong)
        new FragmentState(fragment, Vector(StorePath.join(dataset.root, "data", file.fileName)))
      }
      val layout = StateLayout.of(dataset.manifest)
      StateLayer.of(dataset, layout, states, "orphans", isLatest = false, isNumbered = false)
    }
  }

  /** Removes an orphan with the blobs beside it. */
  def remove(store: ObjectStore, orphan: OrphanFile): Unit = {
    store.delete(orphan.path)
    store.deleteTree(DataFileName.stem(orphan.path))
  }

  private def written(store: ObjectStore, orphan: OrphanFile): Option[WrittenFile] = Try {
    Using.resource(FileReader.open(store, orphan.path, Some(orphan.size))) { reader =>
      schema(reader).filter(_ => reader.numRows > 0).map { columns =>
        WrittenFile.of(columns, reader.version, orphan.name, orphan.size, reader.numRows)
      }
    }
  }.toOption.flatten

  /** Returns the columns of a file, if it can be read. */
  private[erasure] def schema(reader: FileReader): Option[LanceSchema] = reader.version match {
    case FileVersion.V0_1 => None
    case FileVersion.V2_0 | FileVersion.V2_1 | FileVersion.V2_2 => Some(reader.schema)
  }
}
