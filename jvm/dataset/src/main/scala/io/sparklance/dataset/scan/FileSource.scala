package io.sparklance.dataset.scan

/** A data file of a fragment.
  *
  * @param path
  *   absolute
  * @param size
  *   in bytes, if the manifest tells
  * @param fieldIds
  *   the wanted fields that the file holds, and those around them
  * @param columnIndices
  *   parallel to `fieldIds`: the file's column, or a negative number for fields that have none
  * @param firstFieldId
  *   of a file of version 0.1, the id of its first field, wanted or not
  */
final private[sparklance] case class FileSource(
    path: String,
    size: Option[Long],
    fieldIds: Vector[Int],
    columnIndices: Vector[Int],
    firstFieldId: Option[Int] = None
) {

  /** Lists of thousands of fields are not hashed for each look-up. */
  override def hashCode: Int = path.hashCode

  /** The file's column for a field. A field whose data file is a tombstone (-2) or holds no column has none.
    */
  def columnOf(fieldId: Int): Option[Int] = columns.get(fieldId).filter(_ >= 0)

  /** By field. If a field is listed twice, its first column counts. */
  @transient private lazy val columns: Map[Int, Int] = fieldIds.zip(columnIndices).reverse.toMap
}
