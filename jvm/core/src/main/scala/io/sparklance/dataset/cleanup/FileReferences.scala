package io.sparklance.dataset.cleanup

import scala.collection.mutable

import io.sparklance.table.StoredVersion
import io.sparklance.table.index.IndexSegments

/** The files that versions refer to, by the last part of their path, and indices by uuid. These names are
  * unique, so the base through which a version refers to a file does not matter.
  */
final private[cleanup] class FileReferences {
  private val names = mutable.HashSet.empty[String]

  def add(version: StoredVersion): Unit = {
    version.manifest.fragments.foreach { fragment =>
      fragment.message.files.foreach(file => names += FileReferences.last(file.path))
      fragment.deletionFile.foreach(file => names += file.fileName(fragment.id))
    }
    names += FileReferences.last(version.manifest.message.transactionFile)
    version.indexSection.foreach(section => names ++= IndexSegments.of(section).map(_.uuid))
  }

  def contains(name: String): Boolean = names(name)
}

private[cleanup] object FileReferences {
  def last(path: String): String = path.substring(path.lastIndexOf('/') + 1)
}
