package io.sparklance.encoding.logical

import io.sparklance.data.{Column, FileVersion, ListBlock, StructBlock, ValueShape}
import io.sparklance.encoding.compression.FileDictionaries
import io.sparklance.encoding.v20.{ArrayStrategy, ListArray, StructArray}
import io.sparklance.encoding.{BlobPage, EncodedArray, EncodedArrayPage}
import io.sparklance.schema.{Field, Leaf, LogicalType}
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** Encodes a top-level field and its descendants for a file of version 2.0: a page for each of its columns.
  * Each field has a column there, parents before children. A list's column holds the ends of its lists, a
  * struct's column nothing.
  */
private[sparklance] object FieldArrays {

  /** Encodes all rows of `column`. Overwrites values below nulls. */
  def encode(
      column: Column,
      field: Field,
      dictionaries: FileDictionaries = new FileDictionaries
  ): Vector[EncodedArrayPage] = new FieldArrays(dictionaries).encode(column, field, field.name)

  /** The position of a null, whose size is 0. */
  final private val NullBlob = 1L

  /** Refuses a leaf that version 2.0 cannot hold. */
  def refuseUnwritable(leaf: Leaf): Unit = {
    def refuse(kind: String): Nothing =
      throw new UnsupportedLanceFeatureException(
        s"writing $kind to files of version 2.0 (column '${leaf.name}')"
      )
    leaf.around.map(_.logicalType).foreach {
      case LogicalType.FixedSizeList(_, _) => refuse("fixed-size lists of structs")
      case _ => ()
    }
    leaf.field.logicalType match {
      case LogicalType.FixedSizeList(_, _) if ValueShape.isVariable(PrimitiveField.shapeOf(leaf.field)) =>
        refuse("fixed-size lists of values that vary in length")
      case _ => ()
    }
  }
}

final private class FieldArrays(dictionaries: FileDictionaries) {

  /** @param path the field's path from the top-level field */
  def encode(column: Column, field: Field, path: String): Vector[EncodedArrayPage] = {
    def inside(child: Field, of: Column): Vector[EncodedArrayPage] =
      encode(of, child, s"$path.${child.name}")
    if (column.nulls.hasNulls) {
      if (!field.nullable) PrimitiveField.refuseNulls(path)
      if (field.logicalType == LogicalType.Struct) refuseNullStructs(path)
      column.values.zeroNulls(column.nulls.orNull)
    }
    if (field.isBlob) BlobPage.markNulls(column.values, column.nulls)(_ => FieldArrays.NullBlob)
    if (field.isPacked) PackedStructs.refuseNulls(column, field, path, FileVersion.V2_0)
    column.values match {
      case structs: StructBlock if !field.isPacked && !field.isBlob =>
        page(StructArray.header, column) +:
          field.children.zip(structs.children).flatMap { case (child, of) => inside(child, of) }
      case lists: ListBlock =>
        page(ListArray.encode(lists, column.nulls), column) +: inside(field.children.head, lists.items)
      case _ => Vector(page(
          ArrayStrategy.encode(column, PrimitiveField.shapeOf(field), field, path, dictionaries),
          column
        ))
    }
  }

  private def page(array: EncodedArray, column: Column): EncodedArrayPage =
    EncodedArrayPage(array, column.length.toLong)

  private def refuseNullStructs(path: String): Nothing = throw new LanceUsageException(
    s"Column '$path' has structs that are NULL, which files of version 2.0 cannot hold. Raise the table's file " +
      "version (CALL lance.system.raise_file_version), write a new table of version 2.1 or 2.2 (option dataStorageVersion), " +
      "or replace them: filter such rows out, or give each a struct of NULLs."
  )
}
