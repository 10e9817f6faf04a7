package io.sparklance.table.deletion

import java.util.concurrent.ThreadLocalRandom

import io.sparklance.data.Slice
import io.sparklance.io.{ObjectStore, WholeFile}
import io.sparklance.table.{DeletionFile, DeletionFileKind}
import io.sparklance.{LanceFormatException, Location, WeightedCache}

/** Reads and writes deletion files. */
private[sparklance] object DeletionFiles {

  /** Number of rows from which on pylance writes a bitmap. Readers accept either kind. */
  private val BitmapFrom = 5000

  /** Returns a new file for all deleted rows of a fragment, in the table's own directory, still to be
    * written.
    *
    * @param readVersion
    *   the version that the deletion is based on
    */
  def file(readVersion: Long, rows: DeletionVector): DeletionFile = {
    require(rows.cardinality > 0, "no row to delete")
    val kind = if (rows.cardinality < BitmapFrom) DeletionFileKind.ArrowArray else DeletionFileKind.Bitmap
    DeletionFile.of(kind, readVersion, ThreadLocalRandom.current().nextLong(), rows.cardinality)
  }

  def write(store: ObjectStore, path: String, kind: DeletionFileKind, rows: DeletionVector): Unit =
    store.put(path, encode(rows, kind))

  private[deletion] def encode(rows: DeletionVector, kind: DeletionFileKind): Array[Byte] = kind match {
    case DeletionFileKind.ArrowArray => ArrowOffsetsWriter.encode(rows.bitmap.toArray)
    case DeletionFileKind.Bitmap => RoaringOffsets.encode(rows.bitmap)
  }

  final private case class Key(lane: String, path: String, physicalRows: Long, deletedRows: Option[Long])

  /** Deleted rows in files of distant stores that were read last. Such files have unique names and never
    * change.
    */
  private val kept =
    new WeightedCache[Key, DeletionVector](math.min(64L << 20, Runtime.getRuntime.maxMemory / 32))

  /** @param physicalRows
    *   rows of the fragment, deleted ones included
    * @param deletedRows
    *   number of deleted rows, if the manifest records it
    */
  def read(
      store: ObjectStore,
      path: String,
      kind: DeletionFileKind,
      physicalRows: Long,
      deletedRows: Option[Long]
  ): DeletionVector = {
    def fresh = readNow(store, path, kind, physicalRows, deletedRows)
    if (store.profile.readAhead == 0) fresh
    else
      kept.getOrElseUpdate(
        Key(store.profile.lane, path, physicalRows, deletedRows),
        rows => 256L + 4 * rows.cardinality
      )(fresh)
  }

  /** Reads a file as [[read]] does, but never from memory: one that was damaged meanwhile is found. */
  def readNow(
      store: ObjectStore,
      path: String,
      kind: DeletionFileKind,
      physicalRows: Long,
      deletedRows: Option[Long]
  ): DeletionVector =
    LanceFormatException.locating(Location(file = Some(path))) {
      decode(Slice(WholeFile.read(store, path)), kind, physicalRows, deletedRows)
    }

  private[deletion] def decode(
      bytes: Slice,
      kind: DeletionFileKind,
      physicalRows: Long,
      deletedRows: Option[Long]
  ): DeletionVector = {
    val vector = new DeletionVector(kind match {
      case DeletionFileKind.ArrowArray => ArrowOffsets.decode(bytes, physicalRows)
      case DeletionFileKind.Bitmap => RoaringOffsets.decode(bytes)
    })
    if (vector.last >= physicalRows)
      throw new LanceFormatException(s"row ${vector.last} of a fragment of $physicalRows rows is deleted")
    deletedRows.filter(_ != vector.cardinality).foreach { rows =>
      throw new LanceFormatException(s"${vector.cardinality} rows are deleted, but the manifest says $rows")
    }
    vector
  }
}
