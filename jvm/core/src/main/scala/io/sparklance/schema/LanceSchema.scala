package io.sparklance.schema

/** A table's or a file's columns. Children carry their own ids; field ids, never names, say which column of a file is meant.
  *
  * @param metadata Arrow schema metadata
  */
final case class LanceSchema(fields: Vector[Field], metadata: Map[String, String] = Map.empty) {

  /** All fields, parents before their children. */
  def preOrder: Vector[Field] = fields.flatMap(_.preOrder)

  def maxFieldId: Int = preOrder.map(_.id).maxOption.getOrElse(-1)
}

object LanceSchema {

  /** Instead of the id of a field that is still to be given one. */
  final val NoId = -1
}

/** @param metadata Arrow field metadata, in which hints for encoders live as well */
final case class Field(
    id: Int,
    name: String,
    logicalType: LogicalType,
    nullable: Boolean,
    children: Vector[Field] = Vector.empty,
    metadata: Map[String, String] = Map.empty
) {
  def preOrder: Vector[Field] = this +: children.flatMap(_.preOrder)

  /** Whether values are stored apart from the pages, which then tell where; of either version. */
  def isBlob: Boolean = logicalType == LogicalType.Blob || metadata.contains(BlobVersion.V1Key) ||
    metadata.get(BlobVersion.ExtensionKey).contains(BlobVersion.V2Extension)

  /** Which version of blobs it is; none of other columns, and of those that are marked as blobs but cannot be any. */
  def blobVersion: Option[BlobVersion] = logicalType match {
    case LogicalType.Struct if isBlob => Some(BlobVersion.V2)
    case LogicalType.Blob => Some(BlobVersion.V1)
    case LogicalType.Binary(_) if isBlob => Some(BlobVersion.V1)
    case _ => None
  }

  /** Whether a struct is one column, all its fields side by side, so that it is always read as a whole. */
  def isPacked: Boolean = logicalType == LogicalType.Struct && children.nonEmpty && !isBlob &&
    Seq("packed", "lance-encoding:packed").flatMap(metadata.get).exists(Field.isTrue)
}

object Field {
  private val Truths = Set("1", "true", "on", "yes", "y")

  /** Whether metadata says yes. */
  private[schema] def isTrue(text: String): Boolean = Truths.contains(text.toLowerCase)
}
