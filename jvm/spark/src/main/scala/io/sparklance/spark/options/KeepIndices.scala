package io.sparklance.spark.options

/** The fate of a table's indices when all its rows are replaced. */
sealed abstract private[spark] class KeepIndices(val name: String) extends Product with Serializable

private[spark] object KeepIndices {

  /** Drops them; the history names them. */
  case object Drop extends KeepIndices("drop")

  /** Builds them again after the commit. */
  case object Rebuild extends KeepIndices("rebuild")

  val all: Vector[KeepIndices] = Vector(Drop, Rebuild)
}
