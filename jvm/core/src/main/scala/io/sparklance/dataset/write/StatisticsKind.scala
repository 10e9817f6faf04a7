package io.sparklance.dataset.write

/** Kind of statistics in data files. */
sealed abstract class StatisticsKind(val name: String) extends Product with Serializable

object StatisticsKind {
  case object Omitted extends StatisticsKind("none")

  /** Bounds and nulls of each zone. */
  case object Zones extends StatisticsKind("zones")

  val all: Vector[StatisticsKind] = Vector(Omitted, Zones)
}
