package io.sparklance.schema

sealed abstract private[sparklance] class TimeUnit(val symbol: String) extends Serializable

private[sparklance] object TimeUnit {
  case object Second extends TimeUnit("s")
  case object Millisecond extends TimeUnit("ms")
  case object Microsecond extends TimeUnit("us")
  case object Nanosecond extends TimeUnit("ns")
  val all: Vector[TimeUnit] = Vector(Second, Millisecond, Microsecond, Nanosecond)
}
