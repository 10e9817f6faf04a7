package io.sparklance.dataset.scan

import scala.util.{Random, Using}

import org.roaringbitmap.RoaringBitmap

import io.sparklance.data.{FileVersion, RowRanges}
import io.sparklance.dataset.snapshot.DeletionSource
import io.sparklance.dataset.write.{FragmentWriter, WrittenFile}
import io.sparklance.schema.{Field, LanceSchema}
import io.sparklance.table.DeletionFileKind
import io.sparklance.testkit.{ColumnText, MemoryStore, RandomColumns}

/** Fragments of random columns in a memory store, and readers of them. */
trait Fragments {
  protected val fields = RandomColumns.fields(RandomColumns.types)

  /** Writes rows one by one, and says what they were. */
  protected def write(
      store: MemoryStore,
      fields: Vector[Field],
      rows: Int,
      maxPageBytes: Long
  ): (WrittenFile, Vector[Vector[String]]) = {
    val writer = new FragmentWriter(store, "/t", LanceSchema(fields), FileVersion.V2_2, maxPageBytes)
    val random = new Random(7)
    val texts = Vector.fill(fields.size)(Vector.newBuilder[String])
    for (_ <- 0 until rows) {
      fields.indices.foreach { i =>
        val column = writer.columns(i)
        RandomColumns.fill(column, fields(i), 1, RandomColumns.Anything, 0.2, random)
        texts(i) += ColumnText.at(column, column.length - 1)
      }
      writer.rowWritten()
    }
    (writer.finish(), texts.map(_.result()))
  }

  protected def task(file: WrittenFile, projection: Vector[Field]): FragmentTask = FragmentTask(
    3,
    Vector(FileSource(s"/t/data/${file.fileName}", Some(file.sizeBytes), file.fieldIds, file.columnIndices)),
    file.rows,
    None,
    RowRanges(0, file.rows),
    projection
  )

  protected def read(store: MemoryStore, task: FragmentTask, batchRows: Int): Vector[Vector[String]] =
    Using.resource(FragmentReader.open(store, task, batchRows)) { reader =>
      val batches = Iterator
        .continually(reader.next())
        .takeWhile(identity)
        .map { _ =>
          assert(reader.rowCount > 0 && reader.rowCount <= batchRows)
          reader.columns.map(ColumnText.of(_, reader.rowCount))
        }
        .toVector
      task.projection.indices.toVector.map(i => batches.flatMap(_(i)))
    }

  protected def count(store: MemoryStore, task: FragmentTask, batchRows: Int): Long =
    Using.resource(FragmentReader.open(store, task, batchRows)) { reader =>
      Iterator.continually(reader.next()).takeWhile(identity).map(_ => reader.rowCount.toLong).sum
    }

  protected def deleting(store: MemoryStore, task: FragmentTask, rows: Seq[Int]): FragmentTask = {
    val bitmap = RoaringBitmap.bitmapOf(rows: _*)
    val bytes = java.nio.ByteBuffer.allocate(bitmap.serializedSizeInBytes)
    bitmap.serialize(bytes)
    store.put("/t/_deletions/3-1-1.bin", bytes.array)
    val source = DeletionSource("/t/_deletions/3-1-1.bin", DeletionFileKind.Bitmap, Some(rows.size.toLong))
    task.copy(deletion = Some(source))
  }
}
