package io.sparklance.index.vector.build

import io.sparklance.vector.Metric

/** Settings with which a vector index is built.
  *
  * @param partitions
  *   number of partitions, if given
  * @param targetRows
  *   rows of a partition, on average, if given
  * @param parts
  *   number of parts of a vector, for product quantization
  * @param bits
  *   bits of a code
  * @param sampleRate
  *   vectors to train from, for each centroid
  * @param maxIterations
  *   rounds of a training, at most
  */
final private[sparklance] case class VectorSettings(
    kind: VectorIndexKind,
    metric: Metric,
    partitions: Option[Int] = None,
    targetRows: Option[Long] = None,
    parts: Int = 0,
    bits: Int = VectorSettings.Bits,
    sampleRate: Int = VectorSettings.SampleRate,
    maxIterations: Int = VectorSettings.MaxIterations
) {

  /** Number of partitions for rows. Partitions of coded vectors have at least as many as they are trained
    * from.
    */
  def partitionsFor(rows: Long): Int = {
    val target = targetRows.getOrElse(kind.targetRows.toLong)
    val wanted = partitions.map(_.toLong).getOrElse(math.min(rows / target, VectorSettings.MostPartitions))
    val most = kind match {
      case VectorIndexKind.IvfPq => math.max(1L, rows / sampleRate)
      case VectorIndexKind.IvfFlat | VectorIndexKind.IvfSq => Long.MaxValue
    }
    math.max(1L, math.min(wanted, most)).toInt
  }

  /** Vectors to sample for the form in which vectors are stored. */
  def rowsOfCodes: Long = kind match {
    case VectorIndexKind.IvfFlat => 0
    case VectorIndexKind.IvfPq => sampleRate.toLong << bits
    case VectorIndexKind.IvfSq => sampleRate.toLong << 8
  }

  /** Vectors without which no index is built. */
  def leastRows: Int = kind match {
    case VectorIndexKind.IvfPq => 1 << bits
    case VectorIndexKind.IvfFlat | VectorIndexKind.IvfSq => 1
  }
}

private[sparklance] object VectorSettings {
  final val Bits = 8
  final val SampleRate = 256
  final val MaxIterations = 50
  final private val MostPartitions = 4096L
}
