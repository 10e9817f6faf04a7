package io.sparklance.dataset.snapshot

import io.sparklance.schema.{Field, LogicalType}

/** A column that no file has: it tells where a row is. To a scan, its [[field]] is one like those of the
  * table.
  *
  * @param id
  *   no field of a table has such a one
  */
sealed abstract private[sparklance] class MetadataColumn(val name: String, id: Int) extends Product
    with Serializable {
  final val field: Field = Field(id, name, LogicalType.Integer(64, signed = true), nullable = false)
}

private[sparklance] object MetadataColumn {

  /** See [[RowAddress]]. */
  case object RowAddr extends MetadataColumn("_rowaddr", -100)

  /** The row id; the row address, in tables without stable row ids. */
  case object RowId extends MetadataColumn("_rowid", -101)
  case object FragId extends MetadataColumn("_fragid", -102)

  /** The version of the table in which the row was added. */
  case object RowCreatedAtVersion extends MetadataColumn("_row_created_at_version", -103)

  /** The version of the table in which the row was changed last. */
  case object RowLastUpdatedAtVersion extends MetadataColumn("_row_last_updated_at_version", -104)

  val all: Vector[MetadataColumn] =
    Vector(RowAddr, RowId, FragId, RowCreatedAtVersion, RowLastUpdatedAtVersion)

  /** Returns the metadata column of a name, in any case. */
  def named(name: String): Option[MetadataColumn] = all.find(_.name.equalsIgnoreCase(name))

  def of(field: Field): Option[MetadataColumn] = all.find(_.field.id == field.id)
}
