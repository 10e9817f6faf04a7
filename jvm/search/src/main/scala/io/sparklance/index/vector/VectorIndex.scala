package io.sparklance.index.vector

import io.sparklance.LanceFormatException
import io.sparklance.data.{DataBlock, Fixed32Block}
import io.sparklance.index.vector.graph.{Graph, GraphHead, GraphParams, NodeVectors}
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
  * @param graphs
  *   those of the partitions, if it has any
  */
final private[vector] case class VectorIndex(
    kind: String,
    metric: Metric,
    dimension: Int,
    centroids: Array[Float],
    partitions: PartitionRows,
    quantizer: Quantizer,
    graphs: Option[StoredGraphs]
) {

  /** The centroids as their bits. */
  lazy val centroidBits: Fixed32Block = {
    val block = new Fixed32Block
    val at = block.extend(centroids.length)
    centroids.indices.foreach(i => block.values(at + i) = java.lang.Float.floatToRawIntBits(centroids(i)))
    block
  }

  /** Returns the difference of a vector from the centroid of a partition. */
  def residual(vector: Array[Float], partition: Int): Array[Float] = {
    val out = new Array[Float](dimension)
    var i = 0
    while (i < dimension) { out(i) = vector(i) - centroids(partition * dimension + i); i += 1 }
    out
  }

  /** Approximate bytes in memory. */
  def weight: Long = 8L * centroids.length + 12L * partitions.count + 4L *
    (quantizer match {
      case product: Quantizer.Product => 2L * product.codebook.length
      case _: Quantizer.Flat | _: Quantizer.Scalar | _: Quantizer.Rotated => 0L
    }) + graphs.fold(0L)(_.texts.iterator.map(64L + _.length).sum)
}

/** The graphs of a segment.
  *
  * @param rows
  *   those of each graph in the file of the graphs
  * @param texts
  *   their heads
  */
final private[vector] case class StoredGraphs(rows: PartitionRows, texts: Vector[String]) {

  /** Settings with which they were built. */
  def params: Option[GraphParams] =
    texts.zip(rows.lengths).collectFirst { case (text, n) if n > 0 => GraphHead.of(text, n).params }
}

/** A partition in memory. */
sealed private[vector] trait StoredPartition {
  def weight: Long
}

/** The stored vectors of a partition.
  *
  * @param ids
  *   row ids
  * @param codes
  *   stored form, all rows
  */
final private[vector] class PartitionData(val ids: Array[Long], val codes: DataBlock)
    extends StoredPartition {
  def rows: Int = ids.length
  def weight: Long = 8L * rows + codes.sizeInBytes + 64
}

/** The stored vectors of a partition with a graph.
  *
  * @param ids
  *   row ids of the nodes
  */
final private[vector] class GraphPartition(val ids: Array[Long], val vectors: NodeVectors, val graph: Graph)
    extends StoredPartition {
  def weight: Long = 8L * ids.length + vectors.weight + graph.weight + 64
}

/** The vectors of a partition in the form of [[Quantizer.Rotated]].
  *
  * @param signs
  *   all first bytes of the rows, then all second ones, and so on
  * @param sizes
  *   a byte for each item; none if a code has only the sign
  * @param added
  *   summand of each row
  * @param scales
  *   factor of each row
  */
final private[vector] class RotatedPartition(
    val ids: Array[Long],
    val signs: Array[Byte],
    val sizes: Array[Byte],
    val added: Array[Float],
    val scales: Array[Float]
) extends StoredPartition {
  def rows: Int = ids.length
  def weight: Long = 16L * rows + signs.length + sizes.length + 64
}
