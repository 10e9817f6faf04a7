package io.sparklance.dataset.write

/** What data files say of the values in their columns, besides these. */
sealed abstract class StatisticsKind(val name: String) extends Product with Serializable

object StatisticsKind {
  case object Nothing extends StatisticsKind("none")

  /** Bounds and nulls of each zone. */
  case object Zones extends StatisticsKind("zones")

  val all: Vector[StatisticsKind] = Vector(Nothing, Zones)
}
