package io.sparklance.index.search

/** The treatment of an index whose files are missing or damaged. */
sealed abstract private[sparklance] class BrokenIndices(val name: String) extends Product with Serializable

private[sparklance] object BrokenIndices {

  /** Fails, and names the index. */
  case object Fail extends BrokenIndices("fail")

  /** Scans the fragments that it covers. */
  case object Scan extends BrokenIndices("scan")

  val all: Vector[BrokenIndices] = Vector(Fail, Scan)
}
