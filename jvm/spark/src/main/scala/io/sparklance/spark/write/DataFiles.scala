package io.sparklance.spark.write

import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import io.sparklance.dataset.write.WrittenFile
import io.sparklance.spark.session.TableLocation
import io.sparklance.table.WriteId
import io.sparklance.table.commit.CommitOutcome

/** Removes data files to which no version refers and none will. What cannot be removed stays invisible, and the error that
  * led here is the one to be reported.
  */
private[spark] object DataFiles {
  private val log = LoggerFactory.getLogger(getClass)

  /** Those of a task that failed. */
  def remove(location: TableLocation, files: Vector[WrittenFile]): Unit = files.foreach { file =>
    guarded(file.fileName)(WriteId.removeFile(location.store, location.root, file.fileName))
  }

  /** Those of all tasks, but some. */
  def removeAll(location: TableLocation, write: WriteId, kept: => Set[String] = Set.empty): Unit =
    guarded(s"all data files of a failed write to $location")(write.removeFiles(
      location.store,
      location.root,
      kept
    ))

  /** Those of attempts that were given up and could not clean up themselves, once the write stands. */
  def removeOthers(location: TableLocation, write: WriteId, kept: Vector[WrittenFile]): Unit =
    guarded(s"data files of lost attempts to write to $location")(
      write.removeFiles(location.store, location.root, kept.map(_.fileName).toSet)
    )

  /** Those that a commit had no use for. */
  def settle(location: TableLocation, write: WriteId, outcome: CommitOutcome): Unit = outcome match {
    case CommitOutcome.Repeated(_) => removeAll(location, write)
    case CommitOutcome.Committed(_, _) => ()
  }

  private def guarded(what: String)(remove: => Unit): Unit =
    try remove
    catch { case NonFatal(e) => log.warn(s"cannot remove $what", e) }
}
