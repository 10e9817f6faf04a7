package io.sparklance.spark.procedures

import io.sparklance.table.Manifest

/** How much a version of a table is.
  *
  * @param rows that are not deleted; none if the manifest does not tell, as those of old tables
  * @param bytes of data files, likewise
  */
final private[procedures] case class ManifestSums(
    fragments: Long,
    rows: Option[Long],
    dataFiles: Long,
    deletionFiles: Long,
    bytes: Option[Long]
)

private[procedures] object ManifestSums {

  def apply(manifest: Manifest): ManifestSums = {
    val files = manifest.fragments.flatMap(_.files)
    ManifestSums(
      manifest.fragments.size.toLong,
      rows(manifest),
      files.size.toLong,
      manifest.fragments.count(_.deletionFile.isDefined).toLong,
      Option.when(files.forall(_.size.isDefined))(files.flatMap(_.size).sum)
    )
  }

  private def rows(manifest: Manifest): Option[Long] = {
    val live = manifest.fragments.map { f =>
      for {
        rows <- f.physicalRows
        deleted <- f.deletionFile.fold(Option(0L))(_.deletedRows)
      } yield rows - deleted
    }
    Option.when(live.forall(_.isDefined))(live.flatten.sum)
  }
}
