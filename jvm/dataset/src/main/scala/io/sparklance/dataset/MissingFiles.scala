package io.sparklance.dataset

import scala.util.Try

import io.sparklance.dataset.snapshot.Snapshot
import io.sparklance.io.StorePath
import io.sparklance.table.Versions
import io.sparklance.table.index.IndexSegments

/** Looks whether the files of a version exist, by listing their directories. Clean-ups of other software
  * remove files before they remove the version, and see nothing that was committed meanwhile.
  */
private[dataset] object MissingFiles {

  /** Returns the path of a file that does not exist, if there is one. Files in directories that cannot be
    * listed count as existing.
    */
  def first(version: Snapshot): Option[String] = {
    val ofFragments = version.fragments.flatMap { fragment =>
      fragment.files.map(version.dataFile) ++ version.deletion(fragment).map(_.path)
    }
    (ofFragments ++ ofIndices(version)).groupBy(directory).iterator.flatMap { case (directory, files) =>
      val names = Try(version.store.names(directory)(_ => false).iterator.map(_.name).toSet).toOption
      names.flatMap(existing => files.find(file => !existing(file.drop(directory.length + 1))))
    }.nextOption()
  }

  private def ofIndices(version: Snapshot): Vector[String] = {
    val versions = new Versions(version.store, version.root)
    for {
      file <- versions.find(version.version).toVector
      section <- versions.readWhole(file).indexSection.toVector
      segment <- IndexSegments.recorded(section)
      name <- segment.files
    } yield StorePath.join(version.indexDirectory(segment.uuid, segment.base), name)
  }

  private def directory(file: String): String = file.take(file.lastIndexOf('/'))
}
