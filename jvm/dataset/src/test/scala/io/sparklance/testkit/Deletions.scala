package io.sparklance.testkit

import java.nio.ByteBuffer
import java.util.UUID

import org.roaringbitmap.RoaringBitmap

import io.sparklance.dataset.scan.FragmentTask
import io.sparklance.dataset.snapshot.DeletionSource
import io.sparklance.table.DeletionFileKind

object Deletions {

  /** The task, on its fragment without some rows. */
  def of(store: MemoryStore, task: FragmentTask, rows: Set[Int]): FragmentTask =
    if (rows.isEmpty) task
    else {
      val bitmap = RoaringBitmap.bitmapOf(rows.toSeq: _*)
      val bytes = ByteBuffer.allocate(bitmap.serializedSizeInBytes)
      bitmap.serialize(bytes)
      val path = s"/t/_deletions/${UUID.randomUUID()}.bin"
      store.put(path, bytes.array)
      task.copy(deletion = Some(DeletionSource(path, DeletionFileKind.Bitmap, Some(rows.size.toLong))))
    }
}
