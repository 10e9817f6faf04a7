package io.sparklance.table.transaction.operations

import io.sparklance.proto.{table => pb}

/** Which files of fragments still hold a column of the schema. */
private[transaction] object FieldFiles {

  /** Marks a column that is no longer valid. */
  val Tombstone: Int = -2

  /** Whether two states of a fragment have the same data. Sizes are a help to readers, which not every writer gives. */
  def same(a: pb.DataFragment, b: pb.DataFragment): Boolean =
    a.files.map(_.copy(fileSizeBytes = 0)) == b.files.map(_.copy(fileSizeBytes = 0))

  /** The manifest with only such files. One with hidden columns of row lineage stays: it has their only copy. */
  def live(manifest: pb.Manifest): pb.Manifest = {
    val ids = manifest.fields.map(_.id).toSet
    manifest.copy(fragments = manifest.fragments.map { fragment =>
      val files = fragment.files.filter(_.fields.exists(id => ids(id) || id < Tombstone))
      if (files.size == fragment.files.size) fragment else fragment.copy(files = files)
    })
  }
}
