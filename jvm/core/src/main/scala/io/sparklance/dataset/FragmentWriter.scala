package io.sparklance.dataset

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.data.{Column, FileVersion}
import io.sparklance.io.ObjectStore
import io.sparklance.schema.LanceSchema

/** Writes one new data file of a table, row by row: append a value to each of `columns`, then call [[rowWritten]]. */
final class FragmentWriter(
    store: ObjectStore,
    root: String,
    schema: LanceSchema,
    version: FileVersion,
    maxPageBytes: Long = FragmentWriter.DefaultPageBytes
) {

  /** One for each top-level field; the caller appends to them. */
  def columns: Vector[Column] = Vector.empty

  /** To be called after each row. */
  def rowWritten(): Unit = ()

  def rowsWritten: Long = 0

  /** Bytes that went into the file or wait to do so. */
  def bytesWritten: Long = 0

  /** Completes the file, which becomes visible; nothing refers to it before a commit. */
  def finish(): WrittenFile =
    throw new UnsupportedLanceFeatureException(s"writing $schema $version $maxPageBytes to $root in $store")

  /** Removes the file. */
  def abort(): Unit = ()
}

object FragmentWriter {
  val DefaultPageBytes: Long = 8L << 20
}

/** A data file that was written, as a manifest will describe it.
  *
  * @param fileName relative to the table's `data` directory
  * @param columnIndices parallel to `fieldIds`
  */
final case class WrittenFile(
    fileName: String,
    fieldIds: Vector[Int],
    columnIndices: Vector[Int],
    version: FileVersion,
    sizeBytes: Long,
    rows: Long
)
