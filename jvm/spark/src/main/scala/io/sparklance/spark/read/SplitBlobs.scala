package io.sparklance.spark.read

import scala.collection.mutable

import io.sparklance.data.DataBlock
import io.sparklance.dataset.blob.BlobReader
import io.sparklance.dataset.scan.SplitReader
import io.sparklance.io.{Closing, IoStats}
import io.sparklance.schema.Field
import io.sparklance.spark.session.TableLocation
import io.sparklance.stores.Stores

/** Readers for the blobs of a split's columns. They may lie anywhere that Hadoop has a file system for. */
final private[read] class SplitBlobs(location: TableLocation, split: SplitReader) extends AutoCloseable {
  private val readers = mutable.ArrayBuffer.empty[BlobReader]

  def of(field: Field): ShownBlobs = {
    val reader = new BlobReader(Stores.forRoot(_, location.conf.value), field)
    readers += reader
    new ShownBlobs {
      def show(descriptors: DataBlock): Unit = reader.show(split.task, descriptors)
      def bytes(index: Int): Array[Byte] = reader.bytes(index)
    }
  }

  /** What was read so far. */
  def stats: IoStats = readers.foldLeft(IoStats.none)(_ + _.stats)

  override def close(): Unit = Closing.all(readers)
}

/** The blobs of a column in the batch that is shown. */
trait ShownBlobs {
  def show(descriptors: DataBlock): Unit

  /** The bytes of a blob that is not null. */
  def bytes(index: Int): Array[Byte]
}
