package io.sparklance.dataset.write

import io.sparklance.data.FileVersion
import io.sparklance.file.FileColumns
import io.sparklance.schema.LanceSchema

/** A data file that was written, as a manifest will describe it.
  *
  * @param fileName
  *   relative to the table's `data` directory
  * @param columnIndices
  *   parallel to `fieldIds`
  * @param beside
  *   further files, with other columns of the same rows
  */
final private[sparklance] case class WrittenFile(
    fileName: String,
    fieldIds: Vector[Int],
    columnIndices: Vector[Int],
    version: FileVersion,
    sizeBytes: Long,
    rows: Long,
    pages: PageCounts = PageCounts(),
    beside: Vector[WrittenFile] = Vector.empty
) {

  /** This file and those beside it. */
  def all: Vector[WrittenFile] = this +: beside
}

private[sparklance] object WrittenFile {

  /** A file that has all fields of a schema. */
  def of(
      schema: LanceSchema,
      version: FileVersion,
      fileName: String,
      sizeBytes: Long,
      rows: Long
  ): WrittenFile = {
    val fields = FileColumns.of(schema, version)
    WrittenFile(fileName, fields.map(_.id), fields.indices.toVector, version, sizeBytes, rows)
  }
}
