package io.sparklance.vector

import io.sparklance.data.DataBlock

/** Distances of rows whose distance is NaN if it is computed in floats: in doubles, as Spark's functions
  * compute them. Belongs to one thread.
  */
final private[sparklance] class NanDistances(spec: NearestSpec) {
  private val items = FloatItems.of(spec.column.item)
  private val vector = new Array[Float](spec.column.dimension)

  /** Returns the distance of a row, or NaN; None if it has none, because a vector has no direction.
    *
    * @param block
    *   items of all rows
    */
  def of(query: Int, block: DataBlock, row: Int): Option[Float] = {
    items.copy(block, row * vector.length, vector.length, vector)
    val other = spec.queries(query).vectors.head
    spec.metric match {
      case Metric.L2 => Some(sum(i => square(vector(i) - other(i))).toFloat)
      case Metric.Dot => Some(1f - sum(i => vector(i) * other(i)).toFloat)
      case Metric.Cosine =>
        val norms = math.sqrt(sum(i => square(vector(i).toDouble)) * sum(i => square(other(i))))
        Option.when(norms != 0)(1f - (sum(i => vector(i) * other(i)) / norms).toFloat)
      case Metric.Hamming => None
    }
  }

  private def square(x: Double): Double = x * x

  private def sum(of: Int => Double): Double = {
    var total = 0.0
    var i = 0
    while (i < vector.length) { total += of(i); i += 1 }
    total
  }
}
