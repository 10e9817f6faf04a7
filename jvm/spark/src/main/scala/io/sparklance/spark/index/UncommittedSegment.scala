package io.sparklance.spark.index

import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import io.sparklance.CommitStateUnknownException
import io.sparklance.dataset.Dataset
import io.sparklance.io.StorePath
import io.sparklance.table.transaction.Operation

/** The files of a new segment until its commit. Attempts of tasks write to directories of their own, all of
  * whose names have the same first half.
  */
final private[index] class UncommittedSegment(place: SegmentPlace) {
  private val store = place.store
  private val parent = place.directory.stripSuffix(s"/${place.uuid}")

  /** Runs a build and its commit. Removes all files if one of them fails, unless a version may refer to them,
    * and those of lost attempts of tasks otherwise.
    */
  def committing(build: => (Vector[BuiltSegment], Operation))(commit: Operation => Dataset): Dataset = {
    val (built, operation) =
      try build
      catch { case failure: Throwable => abandon(failure) }
    val committed =
      try commit(operation)
      catch {
        case unknown: CommitStateUnknownException => throw unknown
        case NonFatal(failure) => abandon(failure)
      }
    removeOthers(built)
    committed
  }

  private def abandon(failure: Throwable): Nothing = {
    guarded(directories.foreach(store.deleteTree))
    throw failure
  }

  private def removeOthers(kept: Vector[BuiltSegment]): Unit = guarded {
    directories.foreach { directory =>
      kept.find(segment => directory.endsWith(segment.uuid.toString)) match {
        case None => store.deleteTree(directory)
        case Some(own) =>
          val names = own.files.map(_.name).toSet
          store.list(directory).map(_.name).filterNot(names).foreach(name =>
            store.delete(StorePath.join(directory, name))
          )
      }
    }
  }

  private def directories: Vector[String] = {
    val half = place.uuid.toString.take(UncommittedSegment.HalfLength)
    store.directories(parent).filter(_.startsWith(half)).map(StorePath.join(parent, _))
  }

  private def guarded(remove: => Unit): Unit =
    try remove
    catch {
      case NonFatal(e) => UncommittedSegment.log.warn(s"cannot remove files of an index from $parent", e)
    }
}

private object UncommittedSegment {

  /** Length of the first 64 bits of a UUID's text. */
  final private val HalfLength = 18
  private val log = LoggerFactory.getLogger(getClass)
}
