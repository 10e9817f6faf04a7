package io.sparklance.dataset.write

/** Kind of statistics in data files. */
sealed abstract private[sparklance] class StatisticsKind(val name: String) extends Product with Serializable

private[sparklance] object StatisticsKind {
  case object Omitted extends StatisticsKind("none")

  /** Bounds and nulls of each zone. */
  case object Zones extends StatisticsKind("zones")

  val all: Vector[StatisticsKind] = Vector(Omitted, Zones)
}
