package io.sparklance.dataset.erasure

import scala.util.Try

import io.sparklance.io.{ObjectStore, StorePath, WholeFile}
import io.sparklance.table.transaction.{Operation, OperationCodec}
import io.sparklance.table.{Fragment, TablePaths}

/** A record of a backfill job: a fragment, and the file that the job has written for it.
  *
  * @param path
  *   absolute
  * @param files
  *   names of the fragment's data files, the job's own last
  */
final private[sparklance] case class JobNote(path: String, files: Vector[String]) {

  /** Whether the job has written values for rows of one of these files. */
  def isOf(names: Set[String]): Boolean = files.dropRight(1).exists(names)
}

private[sparklance] object JobNotes {

  /** Returns the records of all jobs of a table or branch. Those that cannot be read are left out. */
  def in(store: ObjectStore, root: String): Vector[JobNote] = {
    val directory = StorePath.join(root, TablePaths.JobDirectory)
    val notes = Vector.newBuilder[JobNote]
    store.walk(directory) { entry =>
      val path = StorePath.join(directory, entry.name)
      notes ++= fragment(store, path).map(found => JobNote(path, found.files.map(_.path)))
    }
    notes.result()
  }

  private def fragment(store: ObjectStore, path: String): Option[Fragment] =
    Try(OperationCodec.decode(WholeFile.read(store, path), path).operation).toOption.collect {
      case update: Operation.Update => update
    }
      .flatMap(_.message.updatedFragments.headOption).map(Fragment(_))
}
