package io.sparklance.dataset.write

import io.sparklance.data.FileVersion
import io.sparklance.encoding.logical.{FieldArrays, FieldPages}
import io.sparklance.file.FileColumns
import io.sparklance.schema.{BlobVersion, Field, LanceSchema}

/** Schemas of data files. Appends use the table's own fields. */
private[sparklance] object WriteSchema {

  /** Refuses fields that files of this version cannot hold, or that cannot be written yet. */
  def refuseUnwritable(schema: LanceSchema, version: FileVersion): Unit =
    schema.fields.flatMap(FileColumns.leaves).foreach { leaf =>
      FieldPages.refuseUnwritable(leaf, version)
      version match {
        case FileVersion.V0_1 | FileVersion.V2_0 => FieldArrays.refuseUnwritable(leaf)
        case FileVersion.V2_1 | FileVersion.V2_2 => ()
      }
    }

  /** Whether column metadata can ask for this compression. */
  def isCompression(text: String): Boolean = FieldPages.isCompression(text)

  /** Adapts the columns of a new table to a file version: see [[BlobVersion]]. */
  def forVersion(columns: LanceSchema, version: FileVersion): LanceSchema =
    forNewTable(BlobVersion.suiting(columns, version))

  /** Assigns ids from 0 to all fields, parents first: for a new or replaced table. */
  def forNewTable(columns: LanceSchema): LanceSchema =
    columns.copy(fields = numbered(columns.fields, first = 0))

  /** Assigns ids from `first` on to fields without one. */
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
