package io.sparklance.spark.metadata

import io.sparklance.table.{Fragment, Manifest}

/** Sizes of a version, from its manifest; manifests of old tables lack some. */
private[spark] object ManifestCounts {

  def rows(manifest: Manifest): Option[Long] = total(manifest.fragments.map(rows))

  def rows(fragment: Fragment): Option[Long] = for {
    rows <- fragment.physicalRows
    deleted <- deleted(fragment)
  } yield rows - deleted

  def deleted(fragment: Fragment): Option[Long] =
    fragment.deletionFile.fold(Option(0L))(_.deletedRows)

  def dataFiles(manifest: Manifest): Long = manifest.fragments.map(_.files.size.toLong).sum

  def deletionFiles(manifest: Manifest): Long = manifest.fragments.count(_.deletionFile.isDefined).toLong

  def size(manifest: Manifest): Option[Long] = total(manifest.fragments.map(size))

  def size(fragment: Fragment): Option[Long] = total(fragment.files.map(_.size))

  private def total(parts: Vector[Option[Long]]): Option[Long] =
    Option.when(parts.forall(_.isDefined))(parts.flatten.sum)
}
