package io.sparklance.dataset.snapshot

import io.sparklance.schema.{Field, LogicalType}
import io.sparklance.table.Fragment

/** A metadata column that a writer has put into a data file, since its numbers are too many for the manifest.
  * No field of the schema has the id of such a column.
  *
  * @param shows
  *   what it is to a scan
  */
sealed abstract private[sparklance] class HiddenColumn(val shows: MetadataColumn, id: Int) extends Product
    with Serializable {
  final val field: Field = Field(id, shows.name, LogicalType.Integer(64, signed = false), nullable = false)
}

private[sparklance] object HiddenColumn {
  case object RowIds extends HiddenColumn(MetadataColumn.RowId, -3)
  case object CreatedAtVersions extends HiddenColumn(MetadataColumn.RowCreatedAtVersion, -4)
  case object LastUpdatedAtVersions extends HiddenColumn(MetadataColumn.RowLastUpdatedAtVersion, -5)

  /** Returns the metadata columns that may be hidden. */
  def of(columns: Vector[MetadataColumn]): Vector[HiddenColumn] =
    Vector(RowIds, CreatedAtVersions, LastUpdatedAtVersions).filter(hidden => columns.contains(hidden.shows))

  /** Whether a fragment has it. */
  def isIn(fragment: Fragment, column: HiddenColumn): Boolean = column match {
    case RowIds => fragment.hidesRowIds
    case CreatedAtVersions => fragment.hidesCreatedAtVersions
    case LastUpdatedAtVersions => fragment.hidesLastUpdatedAtVersions
  }
}
