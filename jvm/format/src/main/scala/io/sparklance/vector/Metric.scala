package io.sparklance.vector

import java.util.Locale

/** A distance of two vectors. Lower is nearer. */
sealed abstract private[sparklance] class Metric(val name: String) extends Product with Serializable

private[sparklance] object Metric {

  /** The square of the Euclidean distance. */
  case object L2 extends Metric("l2")

  /** 1 minus the cosine of the angle between the vectors; none for a vector of zeros. */
  case object Cosine extends Metric("cosine")

  /** 1 minus the dot product. */
  case object Dot extends Metric("dot")

  /** The number of different bits. */
  case object Hamming extends Metric("hamming")

  val all: Vector[Metric] = Vector(L2, Cosine, Dot, Hamming)

  /** Returns the metric of a name in any case; `euclidean` is another name of `l2`. */
  def parse(name: String): Option[Metric] = name.toLowerCase(Locale.ROOT) match {
    case "euclidean" => Some(L2)
    case lower => all.find(_.name == lower)
  }
}
