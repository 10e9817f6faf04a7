package io.sparklance.encoding.logical

import io.sparklance.data.{Column, FileVersion, ListBlock, StructBlock, ValueShape}
import io.sparklance.encoding.compression.FileDictionaries
import io.sparklance.encoding.v20.{ArrayStrategy, ListArray, StructArray}
import io.sparklance.encoding.{BlobPage, EncodedArray, EncodedArrayPage}
import io.sparklance.schema.{Field, Leaf, LogicalType}
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** Encodes a top-level field with all that is in it for a file of version 2.0: a page for each of its columns. Fields have
  * a column each there, parents before their children: that of a list says where each list ends among its items, that of a
  * struct nothing.
  */
object FieldArrays {

  /** Pages of all rows of `column`. What stands below nulls is overwritten. */
  def encode(
      column: Column,
      field: Field,
      dictionaries: FileDictionaries = new FileDictionaries
  ): Vector[EncodedArrayPage] = new FieldArrays(dictionaries).encode(column, field, field.name)

  /** The position of a null, whose size is 0. */
  final private val NullBlob = 1L

  /** Fails if there is no way to write such a leaf, though later versions may have one. */
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

  /** @param path the field's name, with those of what it is in */
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
    s"Column '$path' has structs that are NULL, which files of version 2.0 cannot hold. Write a table of version 2.1 or " +
      "2.2 (option dataStorageVersion), or replace them: filter such rows out, or give each a struct of NULLs."
  )
}
