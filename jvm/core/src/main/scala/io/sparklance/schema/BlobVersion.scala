package io.sparklance.schema

/** How pages tell where the bytes of a blob are: by a struct, the descriptor.
  *
  * @param descriptor its fields, in the order in which they are stored; positions and sizes are unsigned there, yet below
  *   2^63^ in any file there can be
  */
sealed abstract class BlobVersion(val descriptor: Vector[Field]) extends Serializable

object BlobVersion {
  private val UInt64 = LogicalType.Integer(64, signed = true)

  /** In the data file itself. */
  case object V1 extends BlobVersion(fields("position" -> UInt64, "size" -> UInt64))

  /** In the data file, in files beside it, or anywhere: [[BlobKind]]. */
  case object V2
      extends BlobVersion(
        fields(
          "kind" -> LogicalType.Integer(8, signed = false),
          "position" -> UInt64,
          "size" -> UInt64,
          "blob_id" -> LogicalType.Integer(32, signed = false),
          "blob_uri" -> LogicalType.Utf8(large = false)
        )
      )

  private def fields(types: (String, LogicalType)*): Vector[Field] =
    types.toVector.map { case (name, logicalType) => Field(-1, name, logicalType, nullable = false) }
}
