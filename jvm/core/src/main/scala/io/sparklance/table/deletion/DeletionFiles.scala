package io.sparklance.table.deletion

import scala.util.Using

import io.sparklance.data.{ByteRange, Slice}
import io.sparklance.io.ObjectStore
import io.sparklance.{LanceFormatException, Location}

/** Reads deletion files. */
object DeletionFiles {

  /** @param physicalRows rows of the fragment, deleted ones included
    * @param deletedRows how many of them the manifest says are deleted, if it does
    */
  def read(
      store: ObjectStore,
      path: String,
      kind: DeletionFileKind,
      physicalRows: Long,
      deletedRows: Option[Long]
  ): DeletionVector =
    LanceFormatException.locating(Location(file = Some(path))) {
      val bytes = Using.resource(store.open(path)) { file =>
        val target = new Array[Byte](math.min(file.size, Int.MaxValue - 8L).toInt)
        file.read(ByteRange(0, file.size), target, 0)
        target
      }
      decode(Slice(bytes), kind, physicalRows, deletedRows)
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
