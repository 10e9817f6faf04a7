package io.sparklance.index.vector

import io.sparklance.LanceUsageException
import io.sparklance.index.vector.graph.{GraphSearch, NodeDistances, NodeVectors}
import io.sparklance.vector.{Metric, NearestHeap, NearestSpec}

/** Searches partitions that have a graph. Like the reference, keeps `ef` nodes on the walk and takes the `k`
  * nearest of them; compares all nodes instead if fewer than a tenth may be found. Belongs to one thread.
  */
final private[vector] class GraphsSearch(
    model: VectorIndex,
    spec: NearestSpec,
    mask: RowMask,
    k: Int,
    probes: Probes
) {
  private val beam = probes.beam.getOrElse(math.min(Int.MaxValue.toLong, k + k.toLong / 2).toInt)
  if (beam < k)
    throw new LanceUsageException(
      s"The search keeps $beam nodes of a graph (ef), but is to find $k rows. Set ef to $k or more: the number of rows " +
        "times the refine_factor."
    )

  /** Offers the rows of a partition to the heaps of queries. Returns the number of vectors compared.
    *
    * @param queries
    *   numbers of those that look at the partition, prepared, with their heaps
    */
  def search(
      partition: Int,
      data: GraphPartition,
      queries: Array[(Int, Array[Float], NearestHeap)]
  ): Long = {
    val walk = new GraphSearch(data.graph)
    val among = mask.among(data.ids, data.graph.nodes)
    queries.foreach { case (number, query, heap) =>
      val found = walk.run(distances(partition, number, query, data.vectors), beam, among, spec.range)
      var i = 0
      while (i < math.min(found, k)) {
        heap.offer(walk.near(i), mask.address(data.ids(walk.nodes(i))))
        i += 1
      }
    }
    walk.compared
  }

  private def distances(
      partition: Int,
      number: Int,
      query: Array[Float],
      vectors: NodeVectors
  ): NodeDistances = {
    val isDot = model.metric == Metric.Dot
    (model.quantizer, vectors) match {
      case (product: Quantizer.Product, NodeVectors.Bytes(codes)) =>
        val table = new ProductDistances(product, model.dimension)
        table.prepare(if (isDot) query else model.residual(query, partition), isDot)
        table.each(codes, isDot)
      case (scalar: Quantizer.Scalar, NodeVectors.Bytes(codes)) =>
        new ScalarDistances(scalar, model.dimension).each(codes, query, isDot)
      case (_, NodeVectors.Floats(values)) => WholeDistances.ofFloats(values, query, model.metric)
      case (_, NodeVectors.Doubles(values)) =>
        WholeDistances.ofDoubles(values, spec.queries(number).vectors.head, model.metric)
      case (_, NodeVectors.Bytes(bytes)) => WholeDistances.ofBits(bytes, query.map(_.toInt.toByte))
    }
  }
}
