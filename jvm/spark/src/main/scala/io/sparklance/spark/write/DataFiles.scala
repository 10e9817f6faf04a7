package io.sparklance.spark.write

import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import io.sparklance.dataset.write.WrittenFile
import io.sparklance.spark.session.TableLocation
import io.sparklance.table.WriteId
import io.sparklance.table.commit.CommitOutcome

/** Removes data files that no version refers to. Files that cannot be removed stay invisible; the original
  * error is reported.
  */
private[spark] object DataFiles {
  private val log = LoggerFactory.getLogger(getClass)

  /** Removes the files of a failed task. */
  def remove(location: TableLocation, files: Vector[WrittenFile]): Unit = files.flatMap(_.all).foreach { file =>
    guarded(file.fileName)(WriteId.removeFile(location.store, location.root, file.fileName))
  }

  /** Removes the files of all tasks except `kept`. */
  def removeAll(location: TableLocation, write: WriteId, kept: => Set[String] = Set.empty): Unit =
    guarded(s"all data files of a failed write to $location")(write.removeFiles(
      location.store,
      location.root,
      kept
    ))

  /** Removes files of abandoned attempts after the commit. */
  def removeOthers(location: TableLocation, write: WriteId, kept: Vector[WrittenFile]): Unit =
    guarded(s"data files of lost attempts to write to $location")(
      write.removeFiles(location.store, location.root, kept.flatMap(_.all).map(_.fileName).toSet)
    )

  /** Removes the files that a commit did not use. */
  def settle(location: TableLocation, write: WriteId, outcome: CommitOutcome): Unit = outcome match {
    case CommitOutcome.Repeated(_) => removeAll(location, write)
    case CommitOutcome.Committed(_, _, _) => ()
  }

  private def guarded(what: String)(remove: => Unit): Unit =
    try remove
    catch { case NonFatal(e) => log.warn(s"cannot remove $what", e) }
}
