package io.sparklance.spark.write

import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import io.sparklance.dataset.WrittenFile
import io.sparklance.io.StorePath
import io.sparklance.spark.TableLocation

/** Data files to which no version refers. */
private[spark] object DataFiles {
  private val log = LoggerFactory.getLogger(getClass)

  /** Removes them as far as possible. What stays is invisible, and the error that led here is the one to be reported. */
  def delete(location: TableLocation, files: Vector[WrittenFile]): Unit = if (files.nonEmpty) {
    val store = location.store
    files.foreach { file =>
      val path = StorePath.join(location.root, "data", file.fileName)
      try store.delete(path)
      catch { case NonFatal(e) => log.warn(s"cannot remove $path, which no version refers to", e) }
    }
  }
}
