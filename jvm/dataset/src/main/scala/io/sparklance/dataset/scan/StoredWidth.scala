package io.sparklance.dataset.scan

import java.io.IOException

import io.sparklance.LanceException
import io.sparklance.dataset.snapshot.Snapshot
import io.sparklance.schema.Field

/** Estimates the bytes that a row's values take on disk, by the pages of the fragment with the most rows. */
private[sparklance] object StoredWidth {

  /** More fields take too long to look up while a query is planned. */
  final val MaxFields = 256

  /** Returns the bytes of a row. None if they are unknown; a read then names the fault.
    *
    * @param projection
    *   fields of the table, or parts of them
    */
  def of(snapshot: Snapshot, projection: Vector[Field]): Option[Double] = {
    val fields = projection.flatMap(_.preOrder).map(field => field.id -> field).toMap
    if (snapshot.fragments.isEmpty || fields.size > MaxFields) None
    else {
      val sample = snapshot.fragments.maxBy(snapshot.physicalRows)
      try {
        val files = DataFilePages.of(snapshot, sample).filter(_.file.fieldIds.exists(fields.contains))
        val bytes = files.flatMap(_.read(snapshot.store, fields)).flatMap(_.pages).map(_.bytes).sum
        Some(bytes.toDouble / math.max(1L, snapshot.physicalRows(sample)))
      } catch { case _: LanceException | _: IOException => None }
    }
  }

  /** Returns the bytes of a row in all data files of a fragment. None if the manifest lacks their sizes. */
  def ofFiles(snapshot: Snapshot): Option[Double] =
    snapshot.fragments.maxByOption(snapshot.physicalRows).flatMap { sample =>
      val sizes = sample.files.map(_.size)
      Option.when(sizes.nonEmpty && sizes.forall(_.isDefined))(
        sizes.flatten.sum.toDouble / math.max(1L, snapshot.physicalRows(sample))
      )
    }
}
