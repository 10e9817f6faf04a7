package io.sparklance.spark.read

import scala.collection.mutable

import io.sparklance.data.DataBlock
import io.sparklance.dataset.blob.BlobReader
import io.sparklance.dataset.scan.SplitReader
import io.sparklance.io.{Closing, IoStats}
import io.sparklance.schema.Field
import io.sparklance.spark.session.TableLocation
import io.sparklance.stores.Stores

/** Readers for the blobs of a split's columns, which may be on any Hadoop file system. */
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

  /** Statistics of all requests so far. */
  def stats: IoStats = readers.foldLeft(IoStats.none)(_ + _.stats)

  override def close(): Unit = Closing.all(readers)
}
