package io.sparklance.dataset.cleanup

import java.util.concurrent.{Callable, Executors}

import scala.jdk.CollectionConverters._
import scala.util.Try
import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import io.sparklance.io.{ObjectStore, StorePath}

/** Removes files of a table, several at a time. One that cannot be removed does not keep the others from it. */
final private class Removal(store: ObjectStore, root: String) {

  def remove(files: Vector[TableFile]): CleanupResult = {
    val removed = inParallel(files)(file => attempt(file))
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

  /** That of an index, or of a data file's blobs. It goes if it is empty; where directories are only names, it is gone. */
  private def directory(file: TableFile): Option[String] =
    Option.when(file.path.count(_ == '/') > 1)(StorePath.join(
      root,
      file.path.take(file.path.lastIndexOf('/'))
    ))

  private def inParallel[A, B](items: Vector[A])(action: A => B): Vector[B] =
    if (items.isEmpty) Vector.empty
    else {
      val pool = Executors.newFixedThreadPool(math.min(items.size, store.profile.maxRequests))
      try {
        val calls = items.map(item => (() => action(item)): Callable[B])
        pool.invokeAll(calls.asJava).asScala.map(_.get).toVector
      } finally pool.shutdown()
    }
}

private object Removal {
  private val log = LoggerFactory.getLogger(getClass)
}
