package io.sparklance.spark.types

/** How columns of blobs are shown. */
sealed abstract private[sparklance] class BlobHandling(val name: String) extends Serializable

private[sparklance] object BlobHandling {

  /** As structs that tell where the bytes are. */
  case object Descriptors extends BlobHandling("descriptors")

  /** As BINARY; each blob is read when its bytes are looked at. */
  case object Bytes extends BlobHandling("bytes")

  val all: Vector[BlobHandling] = Vector(Descriptors, Bytes)

  def parse(text: String): BlobHandling = all
    .find(_.name.equalsIgnoreCase(text))
    .getOrElse(throw new IllegalArgumentException(s"it must be one of ${all.map(_.name).mkString(", ")}"))
}
