package io.sparklance.spark.streams

/** The part of a table that a stream reads.
  *
  * @param name
  *   in offsets
  * @param text
  *   for messages
  */
sealed abstract private[sparklance] class StreamKind(val name: String, val text: String) extends Product
    with Serializable

private[sparklance] object StreamKind {
  case object Rows extends StreamKind("rows", "the rows")
  case object Changes extends StreamKind("changes", "the change feed")

  def parse(name: String): Option[StreamKind] = Vector(Rows, Changes).find(_.name == name)
}
