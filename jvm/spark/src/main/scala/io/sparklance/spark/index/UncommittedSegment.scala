package io.sparklance.spark.index

import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import io.sparklance.CommitStateUnknownException
import io.sparklance.dataset.Dataset
import io.sparklance.index.build.WrittenIndexFile
import io.sparklance.io.{ObjectStore, StorePath}
import io.sparklance.table.transaction.Operation

/** The files of a new segment until its commit. */
final private[index] class UncommittedSegment(store: ObjectStore, directory: String) {

  /** Runs a build and its commit. Removes all files if one of them fails, unless a version may refer to them,
    * and those of lost attempts of tasks otherwise.
    */
  def committing(build: => (Vector[WrittenIndexFile], Operation))(commit: Operation => Dataset): Dataset = {
    val (files, operation) =
      try build
      catch { case failure: Throwable => abandon(failure) }
    val committed =
      try commit(operation)
      catch {
        case unknown: CommitStateUnknownException => throw unknown
        case NonFatal(failure) => abandon(failure)
      }
    removeOthers(files.map(_.name).toSet)
    committed
  }

  private def abandon(failure: Throwable): Nothing = {
    guarded(store.deleteTree(directory))
    throw failure
  }

  private def removeOthers(kept: Set[String]): Unit = guarded {
    store.list(directory).map(_.name).filterNot(kept).foreach(name =>
      store.delete(StorePath.join(directory, name))
    )
  }

  private def guarded(remove: => Unit): Unit =
    try remove
    catch {
      case NonFatal(e) => UncommittedSegment.log.warn(s"cannot remove files of an index from $directory", e)
    }
}

private object UncommittedSegment {
  private val log = LoggerFactory.getLogger(getClass)
}
