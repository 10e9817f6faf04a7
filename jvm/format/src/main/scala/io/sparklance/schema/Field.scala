package io.sparklance.schema

/** A field of a schema, with its children.
  *
  * @param metadata
  *   Arrow field metadata, including hints for encoders
  */
final private[sparklance] case class Field(
    id: Int,
    name: String,
    logicalType: LogicalType,
    nullable: Boolean,
    children: Vector[Field] = Vector.empty,
    metadata: Map[String, String] = Map.empty
) {
  def preOrder: Vector[Field] = this +: children.flatMap(_.preOrder)

  /** Whether the field is a blob of either version: its bytes are stored apart from its pages. */
  def isBlob: Boolean = logicalType == LogicalType.Blob || metadata.contains(BlobVersion.V1Key) ||
    metadata.get(BlobVersion.ExtensionKey).contains(BlobVersion.V2Extension)

  /** Returns the blob version; None for other columns, and for columns that are marked as blobs but have
    * another type.
    */
  def blobVersion: Option[BlobVersion] = logicalType match {
    case LogicalType.Struct if isBlob => Some(BlobVersion.V2)
    case LogicalType.Blob => Some(BlobVersion.V1)
    case LogicalType.Binary(_) if isBlob => Some(BlobVersion.V1)
    case _ => None
  }

  /** Whether a struct is packed: one column with all its fields side by side, always read as a whole. */
  def isPacked: Boolean = logicalType == LogicalType.Struct && children.nonEmpty && !isBlob &&
    Seq("packed", "lance-encoding:packed").flatMap(metadata.get).exists(Field.isTrue)
}

private[sparklance] object Field {
  private val Truths = Set("1", "true", "on", "yes", "y")

  /** Whether a metadata value means true. */
  private[schema] def isTrue(text: String): Boolean = Truths.contains(text.toLowerCase)
}
