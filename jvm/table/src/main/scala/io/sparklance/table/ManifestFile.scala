package io.sparklance.table

import scala.util.Using

import io.sparklance.Location
import io.sparklance.io.{ListedFile, ObjectStore}

/** A manifest in a table's history, as its name tells.
  *
  * @param listed
  *   the file, if the store tells it from others of its name
  */
final private[sparklance] case class ManifestFile(
    version: Long,
    naming: ManifestNaming,
    path: String,
    size: Option[Long],
    listed: Option[ListedFile] = None
) {
  def location: Location = Location(file = Some(path), version = Some(version))
  def sizeIn(store: ObjectStore): Long = size.getOrElse(Using.resource(store.open(path))(_.size))
}
