package io.sparklance.spark.read

import java.io.FileNotFoundException

import scala.util.Try

import io.sparklance.dataset.Dataset
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.session.TableLocation
import io.sparklance.{Causes, LanceFormatException, LanceTableNotFoundException}

/** Says why a file of a version is missing. A query reads the version that it has opened, which may be gone
  * by the time it runs.
  */
private[spark] object MissingFile {

  /** Runs a part of a read of the table. */
  def telling[A](location: TableLocation)(body: => A): A = translating {
    try body
    catch { case e: LanceFormatException if isMissing(e) => throw reason(location, e).getOrElse(e) }
  }

  private def isMissing(e: LanceFormatException): Boolean =
    Causes.of(e).exists(_.isInstanceOf[FileNotFoundException])

  private def reason(location: TableLocation, e: LanceFormatException): Option[LanceTableNotFoundException] =
    for {
      path <- e.location.file
      latest <- Try(Option.when(Dataset.exists(location.store, location.root)) {
        Dataset.open(location.store, location.root)
      }).toOption
      if !latest.exists(needs(_, path))
    } yield new LanceTableNotFoundException(
      latest.fold(
        s"The table at $location was dropped, or its directory deleted or moved, after this query had opened it: $path is missing. " +
          "Name the table again if it is elsewhere or was created again."
      ) { now =>
        s"The version that this query had opened of the table at $location is gone: $path is missing, and version ${now.version}, the " +
          "latest, does not need it. The version was cleaned up, or the table was dropped and created again. Read the table again."
      },
      e
    )

  private def needs(dataset: Dataset, path: String): Boolean = {
    val name = path.substring(path.lastIndexOf('/') + 1)
    // An index may be damaged in any version.
    path.contains("/_indices/") || dataset.manifest.fragments.exists { fragment =>
      fragment.files.exists(_.path.endsWith(name)) ||
      fragment.deletionFile.exists(_.path("", fragment.id).endsWith(name))
    }
  }
}
