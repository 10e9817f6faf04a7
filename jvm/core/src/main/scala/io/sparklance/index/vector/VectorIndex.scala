package io.sparklance.index.vector

import io.sparklance.LanceFormatException
import io.sparklance.data.{DataBlock, Fixed32Block}
import io.sparklance.vector.Metric

/** The rows of each partition in the file of the stored vectors. */
final private[vector] case class PartitionRows(offsets: Array[Long], lengths: Array[Int]) {
  def count: Int = lengths.length
}

private[vector] object PartitionRows {

  /** Checks the ranges of the partitions: inside the file, and disjoint.
    *
    * @param offsets
    *   none if the partitions lie one after the other
    */
  def of(offsets: Seq[Long], lengths: Seq[Int], rows: Long): PartitionRows = {
    lengths.find(_ < 0).foreach(n => throw damaged(s"a partition of ${Integer.toUnsignedString(n)} rows"))
    if (offsets.nonEmpty && offsets.size != lengths.size)
      throw damaged(s"${offsets.size} offsets of ${lengths.size} partitions")
    val starts = if (offsets.isEmpty) lengths.scanLeft(0L)(_ + _).init else offsets
    val ordered = starts.zip(lengths).filter(_._2 > 0).sortBy(_._1)
    var end = 0L
    ordered.foreach { case (start, length) =>
      if (start < end || start > rows - length) throw damaged(s"rows $start to ${start + length} of $rows")
      end = start + length
    }
    PartitionRows(starts.toArray, lengths.toArray)
  }

  private def damaged(what: String) =
    new LanceFormatException(s"the partitions of a vector index: $what")
}

/** A segment's model: what all searches of it need.
  *
  * @param kind
  *   name of its type
  * @param centroids
  *   of the partitions, one after the other
  */
final private[vector] case class VectorIndex(
    kind: String,
    metric: Metric,
    dimension: Int,
    centroids: Array[Float],
    partitions: PartitionRows,
    quantizer: Quantizer
) {

  /** The centroids as their bits. */
  lazy val centroidBits: Fixed32Block = {
    val block = new Fixed32Block
    val at = block.extend(centroids.length)
    centroids.indices.foreach(i => block.values(at + i) = java.lang.Float.floatToRawIntBits(centroids(i)))
    block
  }

  /** Approximate bytes in memory. */
  def weight: Long = 8L * centroids.length + 12L * partitions.count + 4L *
    (quantizer match {
      case product: Quantizer.Product => product.codebook.length.toLong
      case _: Quantizer.Flat | _: Quantizer.Scalar => 0L
    })
}

/** The stored vectors of a partition.
  *
  * @param ids
  *   row ids
  * @param codes
  *   stored form, all rows
  */
final private[vector] class PartitionData(val ids: Array[Long], val codes: DataBlock) {
  def rows: Int = ids.length
  def weight: Long = 8L * rows + codes.sizeInBytes + 64
}
