package io.sparklance.schema

import io.sparklance.data.FileVersion

/** A version of blob descriptors: structs in pages that locate the bytes of a blob.
  *
  * @param descriptor
  *   the descriptor's fields, in stored order; positions and sizes are unsigned, and below 2^63^ in any real
  *   file
  */
sealed abstract private[sparklance] class BlobVersion(val descriptor: Vector[Field]) extends Serializable

private[sparklance] object BlobVersion {
  private val UInt64 = LogicalType.Integer(64, signed = true)

  /** Blobs in the data file itself. */
  case object V1 extends BlobVersion(fields("position" -> UInt64, "size" -> UInt64))

  /** Blobs in the data file, in files beside it, or anywhere: [[BlobKind]]. */
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

  /** Adapts a schema's blobs to a file version: binary, or in 2.2 structs of blob version 2. */
  def suiting(schema: LanceSchema, version: FileVersion): LanceSchema =
    schema.copy(fields = schema.fields.map(suiting(_, version)))

  private def suiting(field: Field, version: FileVersion): Field =
    (field.blobVersion, version) match {
      case (Some(V1), FileVersion.V2_2) => asStruct(field)
      case (Some(V1 | V2), _) => field
      case (None, _) => field.copy(children = field.children.map(suiting(_, version)))
    }

  private def asStruct(field: Field): Field = field.copy(
    logicalType = LogicalType.Struct,
    children = Vector(
      Field(LanceSchema.NoId, "data", LogicalType.Binary(large = true), nullable = true),
      Field(LanceSchema.NoId, "uri", LogicalType.Utf8(large = false), nullable = true)
    ),
    metadata = field.metadata - V1Key + (ExtensionKey -> V2Extension)
  )

  /** Metadata key that marks a field as blobs of version 1 or 2. */
  final val V1Key = "lance-encoding:blob"
  final val ExtensionKey = "ARROW:extension:name"
  final val V2Extension = "lance.blob.v2"

  private def fields(types: (String, LogicalType)*): Vector[Field] =
    types.toVector.map { case (name, logicalType) => Field(-1, name, logicalType, nullable = false) }
}
