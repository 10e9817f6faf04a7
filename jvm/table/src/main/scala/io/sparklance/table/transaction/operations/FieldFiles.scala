package io.sparklance.table.transaction.operations

import io.sparklance.proto.{table => pb}

/** Finds the files of fragments that still hold a column of the schema. */
private[transaction] object FieldFiles {

  /** Field id of an invalidated column. */
  val Tombstone: Int = -2

  /** Whether two states of a fragment have the same data. Ignores sizes, which are optional hints. */
  def same(a: pb.DataFragment, b: pb.DataFragment): Boolean =
    a.files.map(_.copy(fileSizeBytes = 0)) == b.files.map(_.copy(fileSizeBytes = 0))

  /** Drops the other files from a manifest, except those with hidden columns of row lineage, which are the
    * only copy.
    */
  def live(manifest: pb.Manifest): pb.Manifest = {
    val ids = manifest.fields.map(_.id).toSet
    manifest.copy(fragments = manifest.fragments.map { fragment =>
      val files = fragment.files.filter(_.fields.exists(id => ids(id) || id < Tombstone))
      if (files.size == fragment.files.size) fragment else fragment.copy(files = files)
    })
  }
}
