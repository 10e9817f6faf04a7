package io.sparklance.dataset.write

import io.sparklance.data.FileVersion
import io.sparklance.encoding.logical.{FieldArrays, FieldPages}
import io.sparklance.file.FileColumns
import io.sparklance.schema.{BlobVersion, Field, LanceSchema}

/** The fields that data files are written with. Those of a table that is appended to are the table's own. */
object WriteSchema {

  /** Fails if files of this version cannot hold these fields, or if we cannot write them. */
  def refuseUnwritable(schema: LanceSchema, version: FileVersion): Unit =
    schema.fields.flatMap(FileColumns.leaves).foreach { leaf =>
      FieldPages.refuseUnwritable(leaf, version)
      version match {
        case FileVersion.V0_1 | FileVersion.V2_0 => FieldArrays.refuseUnwritable(leaf)
        case FileVersion.V2_1 | FileVersion.V2_2 => ()
      }
    }

  /** Whether it is a compression that a column's metadata can ask for. */
  def isCompression(text: String): Boolean = FieldPages.isCompression(text)

  /** What files of a version make of columns, for a new table: see [[BlobVersion]]. */
  def forVersion(columns: LanceSchema, version: FileVersion): LanceSchema =
    forNewTable(BlobVersion.suiting(columns, version))

  /** Numbers all fields from 0, parents before their children: for a new table, or one that is replaced. */
  def forNewTable(columns: LanceSchema): LanceSchema =
    columns.copy(fields = numbered(columns.fields, first = 0))

  /** Numbers the fields that have no number yet, from `first` on. */
  def extended(columns: LanceSchema, first: Int): LanceSchema = {
    val added = columns.preOrder.filter(_.id == LanceSchema.NoId)
    val ids = new java.util.IdentityHashMap[Field, Int]
    added.zipWithIndex.foreach { case (field, i) => ids.put(field, first + i) }
    def numbered(field: Field): Field = field.copy(
      id = if (field.id == LanceSchema.NoId) ids.get(field) else field.id,
      children = field.children.map(numbered)
    )
    columns.copy(fields = columns.fields.map(numbered))
  }

  private def numbered(fields: Vector[Field], first: Int): Vector[Field] = {
    val ids = fields.scanLeft(first)((id, field) => id + field.preOrder.size)
    fields.zip(ids).map { case (field, id) =>
      field.copy(id = id, children = numbered(field.children, id + 1))
    }
  }
}
