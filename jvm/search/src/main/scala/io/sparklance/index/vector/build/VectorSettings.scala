package io.sparklance.index.vector.build

import io.sparklance.index.vector.graph.GraphParams
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
  * @param graph
  *   settings of graphs
  */
final private[sparklance] case class VectorSettings(
    kind: VectorIndexKind,
    metric: Metric,
    partitions: Option[Int] = None,
    targetRows: Option[Long] = None,
    parts: Int = 0,
    bits: Int = VectorSettings.Bits,
    sampleRate: Int = VectorSettings.SampleRate,
    maxIterations: Int = VectorSettings.MaxIterations,
    graph: GraphParams = GraphParams()
) {

  /** Number of partitions for rows. Partitions of coded vectors have at least as many as they are trained
    * from.
    */
  def partitionsFor(rows: Long): Int = {
    val target = targetRows.getOrElse(kind.targetRows.toLong)
    val wanted = partitions.map(_.toLong).getOrElse(math.min(rows / target, VectorSettings.MostPartitions))
    val most = kind.form match {
      case VectorForm.Parts => math.max(1L, rows / sampleRate)
      case VectorForm.Whole | VectorForm.Bytes | VectorForm.Signs => Long.MaxValue
    }
    math.max(1L, math.min(wanted, most)).toInt
  }

  /** Vectors to sample for the form in which vectors are stored. */
  def rowsOfCodes: Long = kind.form match {
    case VectorForm.Whole | VectorForm.Signs => 0
    case VectorForm.Parts => sampleRate.toLong << bits
    case VectorForm.Bytes => sampleRate.toLong << 8
  }

  /** Vectors without which no index is built. */
  def leastRows: Int = kind.form match {
    case VectorForm.Parts => 1 << bits
    case VectorForm.Whole | VectorForm.Bytes | VectorForm.Signs => 1
  }
}

private[sparklance] object VectorSettings {
  final val Bits = 8

  /** Bits of a code, unless a number is given. */
  def bits(form: VectorForm): Int = form match {
    case VectorForm.Signs => 1
    case VectorForm.Whole | VectorForm.Parts | VectorForm.Bytes => Bits
  }

  final val SampleRate = 256
  final val MaxIterations = 50
  final private val MostPartitions = 4096L
}
