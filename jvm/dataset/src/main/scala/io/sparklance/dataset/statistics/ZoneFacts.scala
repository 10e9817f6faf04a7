package io.sparklance.dataset.statistics

/** Facts about the valid values of each zone. */
sealed private[sparklance] trait ZoneFacts

private[sparklance] object ZoneFacts {
  case object Unknown extends ZoneFacts

  /** Bounds of numbers, as [[io.sparklance.dataset.predicate.NumberKeys]], without NaNs. If a zone has no
    * other number, `least` is above `most`.
    */
  final class Numbers(
      val least: Array[Long],
      val most: Array[Long],
      val nans: Array[Int],
      val exactness: Exactness
  ) extends ZoneFacts

  /** Bounds of byte strings. No value is less than `least` or above `most`. */
  final class Bytes(val least: Array[Array[Byte]], val most: Array[UpperBound], val exactness: Exactness)
      extends ZoneFacts

  sealed trait UpperBound
  case object Unbounded extends UpperBound
  final case class AtMost(bytes: Array[Byte]) extends UpperBound

  /** Whether the bounds of each zone are known to be values of it, and which. */
  final class Exactness(val least: Array[Boolean], val most: Array[Boolean])
}
