package io.sparklance.spark.types

/** Representation of blob columns in Spark. */
sealed abstract private[sparklance] class BlobHandling(val name: String) extends Serializable

private[sparklance] object BlobHandling {

  /** Structs with the position of the bytes. */
  case object Descriptors extends BlobHandling("descriptors")

  /** BINARY; a blob's bytes are read on access. */
  case object Bytes extends BlobHandling("bytes")

  val all: Vector[BlobHandling] = Vector(Descriptors, Bytes)

  def parse(text: String): BlobHandling = all
    .find(_.name.equalsIgnoreCase(text))
    .getOrElse(throw new IllegalArgumentException(s"it must be one of ${all.map(_.name).mkString(", ")}"))
}
