package io.sparklance.spark.options

/** Whether a statement may commit beside rows that others added while it ran, and that would have changed
  * what it did. docs/isolation.md has the outcomes.
  */
sealed abstract private[sparklance] class Isolation(val name: String)

private[sparklance] object Isolation {

  /** It may: the statement sees one version of the table. */
  case object Snapshot extends Isolation("snapshot")

  /** It may not: the outcome is one of running the statements one after the other. */
  case object Serializable extends Isolation("serializable")

  private val all = Vector(Snapshot, Serializable)

  def parse(text: String): Isolation = all.find(_.name.equalsIgnoreCase(text)).getOrElse(
    throw new IllegalArgumentException(s"it must be ${all.map(_.name).mkString(" or ")}")
  )
}
