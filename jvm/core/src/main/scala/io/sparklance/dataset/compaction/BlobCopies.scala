package io.sparklance.dataset.compaction

import java.util.IdentityHashMap

import io.sparklance.data.{Column, ColumnCopy, ListBlock, StructBlock}
import io.sparklance.dataset.blob.{BlobReader, BlobWriter}
import io.sparklance.dataset.scan.FragmentTask
import io.sparklance.dataset.write.FragmentWriter
import io.sparklance.io.{Closing, ObjectStore}
import io.sparklance.schema.{Field, LanceSchema}

/** Reads the blobs of the fragments of a group. */
final private[compaction] class SourceBlobs(store: ObjectStore, schema: LanceSchema) extends AutoCloseable {
  private val readers: Map[Int, BlobReader] = schema.preOrder.filter(_.isBlob).map { field =>
    field.id -> new BlobReader(_ => store, field)
  }.toMap

  /** Returns the reader of a field with blobs. */
  def of(field: Field): BlobReader = readers(field.id)

  override def close(): Unit = Closing.all(readers.values)
}

/** Copies columns to a new file. Blobs are stored again in the new file, with new descriptors; external blobs
  * stay in place.
  */
final private[compaction] class BlobCopies(source: SourceBlobs, schema: LanceSchema, writer: FragmentWriter)
    extends ColumnCopy {
  private val blobs = new IdentityHashMap[Column, BlobCopy]
  private var task = Option.empty[FragmentTask]
  schema.fields.zip(writer.columns).foreach { case (field, column) => find(field, column) }

  /** Sets the fragment of the next rows. */
  def from(fragment: FragmentTask): Unit = task = Some(fragment)

  override def append(source: Column, from: Int, until: Int, target: Column): Unit =
    Option(blobs.get(target)) match {
      case None => super.append(source, from, until, target)
      case Some(copy) => task.foreach(copy.append(_, source, from, until, target))
    }

  private def find(field: Field, column: Column): Unit =
    if (field.isBlob) {
      val _ = blobs.put(column, new BlobCopy(source.of(field), writer.blobs(field, column)))
    } else
      column.values match {
        case structs: StructBlock => field.children.zip(structs.children).foreach { case (f, c) =>
            find(f, c)
          }
        case lists: ListBlock => find(field.children.head, lists.items)
        case _ => ()
      }
}

final private class BlobCopy(reader: BlobReader, writer: BlobWriter) {
  def append(task: FragmentTask, source: Column, from: Int, until: Int, target: Column): Unit = {
    reader.show(task, source.values)
    var i = from
    while (i < until) {
      if (source.nulls.isNull(i)) target.appendNulls(1)
      else {
        reader.copy(i, writer)
        target.nulls.appendValid(1)
      }
      i += 1
    }
  }
}
