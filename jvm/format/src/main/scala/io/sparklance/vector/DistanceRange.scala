package io.sparklance.vector

/** Distances from `lower` to below `upper`. */
final private[sparklance] case class DistanceRange(lower: Option[Float], upper: Option[Float]) {

  /** Lowest distance of the range, for loops. */
  val least: Float = lower.getOrElse(Float.NegativeInfinity)

  def contains(distance: Float): Boolean = distance >= least && upper.forall(distance < _)
}

private[sparklance] object DistanceRange {
  val all: DistanceRange = DistanceRange(None, None)
}
