package io.sparklance.dataset.cleanup

import scala.util.Try
import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import io.sparklance.io.{Concurrently, ObjectStore, StorePath}

/** Removes files of a table, several at a time. A failure does not stop the others. */
final private class Removal(store: ObjectStore, root: String) {

  def remove(files: Vector[TableFile]): CleanupResult = {
    val removed = Concurrently.map(files, store.profile.firstRequests)(attempt)
    val (done, failed) = files.zip(removed).partition(_._2)
    done.map(_._1).flatMap(directory).distinct.foreach(path => Try(store.delete(path)))
    CleanupResult.of(done.map(_._1)).copy(failedDeletes = failed.size)
  }

  private def attempt(file: TableFile): Boolean = {
    val path = StorePath.join(root, file.path)
    try {
      store.delete(path)
      true
    } catch {
      case NonFatal(e) =>
        Removal.log.warn(s"cannot remove $path", e)
        false
    }
  }

  /** Returns the directory of an index or of a data file's blobs, which is removed when it is empty. Object
    * stores have no directories.
    */
  private def directory(file: TableFile): Option[String] =
    Option.when(file.path.count(_ == '/') > 1)(StorePath.join(
      root,
      file.path.take(file.path.lastIndexOf('/'))
    ))
}

private object Removal {
  private val log = LoggerFactory.getLogger(getClass)
}
