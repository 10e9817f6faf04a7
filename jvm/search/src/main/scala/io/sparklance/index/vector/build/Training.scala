package io.sparklance.index.vector.build

import io.sparklance.index.vector.Quantizer
import io.sparklance.vector.{Metric, VectorColumn}

/** Centroids of partitions, with what a sample shows of the vectors.
  *
  * @param vectors
  *   number of vectors in the sample
  * @param least
  *   the least number in them
  */
final private[sparklance] case class TrainedPartitions(
    centroids: Array[Float],
    vectors: Int,
    least: Double,
    most: Double
)

/** Trains the models of an index from a sample of its vectors. */
private[sparklance] object Training {

  /** Trains the centroids of partitions, as many as there are vectors if these are fewer; none without a
    * vector.
    *
    * @param most
    *   vectors to look at
    */
  def partitions(
      sample: VectorSample,
      column: VectorColumn,
      metric: Metric,
      count: Int,
      most: Long,
      iterations: Int
  ): TrainedPartitions = {
    val points = sample.points.spread(math.min(most, Int.MaxValue.toLong).toInt)
    val k = math.min(count, points.count)
    val centroids =
      if (k == 0) Array.emptyFloatArray
      else PartitionTraining.train(points, k, Geometry.of(metric), iterations).centroids
    described(sample, IvfModel.rounded(centroids, column.item))
  }

  /** Describes a sample for partitions that are given. */
  def described(sample: VectorSample, centroids: Array[Float]): TrainedPartitions = {
    val values = sample.points.values
    var (least, most) = (Float.PositiveInfinity, Float.NegativeInfinity)
    var i = 0
    while (i < values.length) {
      if (values(i) < least) least = values(i)
      if (values(i) > most) most = values(i)
      i += 1
    }
    TrainedPartitions(centroids, sample.count, least.toDouble, most.toDouble)
  }

  /** Returns the entries of the codebook for some parts of a vector.
    *
    * @param model
    *   whose codebook is not trained
    */
  def codebook(sample: VectorSample, model: IvfModel, parts: Range, iterations: Int): Array[Float] =
    model.quantizer match {
      case product: Quantizer.Product =>
        val points = sample.points
        if (model.usesResiduals) subtractCentroids(points, model)
        val size = model.dimension / product.parts
        val means = new KMeans(Geometry.Euclidean, iterations)
        parts.iterator.flatMap { part =>
          means.train(points.part(part * size, size), product.entries).centroids.iterator
        }.toArray
      case _: Quantizer.Flat | _: Quantizer.Scalar | _: Quantizer.Rotated => Array.emptyFloatArray
    }

  private def subtractCentroids(points: Points, model: IvfModel): Unit = {
    val (n, d) = (points.count, points.dimension)
    val nearest = new Array[Int](n)
    Geometry.of(model.metric).assigner(model.centroids, model.partitions, d)
      .nearest(points.values, 0, n, nearest, new Array[Float](n))
    var i = 0
    while (i < n) {
      var j = 0
      while (j < d) { points.values(i * d + j) -= model.centroids(nearest(i) * d + j); j += 1 }
      i += 1
    }
  }
}
