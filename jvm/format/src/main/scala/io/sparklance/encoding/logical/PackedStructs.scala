package io.sparklance.encoding.logical

import io.sparklance.data.{Column, FileVersion, FixedSizeListBlock, NullMask, StructBlock, ValueShape}
import io.sparklance.encoding.compression.PackedStructStrategy
import io.sparklance.schema.{Field, Leaf, LogicalType}
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** The types that packed structs can hold in each version: those that pylance 14.0.2 can read again. */
private[logical] object PackedStructs {

  def refuseUnwritable(leaf: Leaf, version: FileVersion): Unit = {
    def refuse(kind: String): Nothing =
      throw new UnsupportedLanceFeatureException(s"writing packed structs of $kind (column '${leaf.name}')")
    leaf.field.preOrder.tail.foreach { field =>
      if (field.isBlob) refuse("blobs")
      field.logicalType match {
        case LogicalType.Bool => refuse("booleans")
        case LogicalType.Null => refuse("nulls")
        case LogicalType.Dictionary(_, _) => refuse("dictionaries")
        case LogicalType.Struct if field.children.isEmpty => refuse("structs without fields")
        case _ => ()
      }
    }
    val shape = PrimitiveField.shapeOf(leaf.field)
    if (hasBits(shape)) refuse("booleans")
    val fits = version match {
      case FileVersion.V0_1 | FileVersion.V2_0 => isFlat(shape)
      case FileVersion.V2_1 => PackedStructStrategy.isMiniBlock(shape)
      case FileVersion.V2_2 => true
    }
    if (!fits)
      throw new LanceUsageException(
        s"Column '${leaf.name}' is a packed struct, which in files of version $version can hold only " +
          s"${allowed(version)}. Write a table of version 2.2 (option dataStorageVersion), or leave out the metadata " +
          "'lance-encoding:packed'."
      )
  }

  private def allowed(version: FileVersion): String = version match {
    case FileVersion.V0_1 | FileVersion.V2_0 =>
      "values of one width, in whole bytes, and fixed-size lists of these"
    case FileVersion.V2_1 | FileVersion.V2_2 => "values of one width, of 4 KiB together"
  }

  private def isFlat(shape: ValueShape): Boolean = shape match {
    case ValueShape.Struct(fields) => fields.forall(isOfBytes)
    case ValueShape.FixedWidth(_) | ValueShape.VariableWidth(_) | ValueShape.FixedSizeList(_, _) => false
  }

  private def isOfBytes(shape: ValueShape): Boolean = shape match {
    case ValueShape.FixedWidth(bits) => bits % 8 == 0
    case ValueShape.FixedSizeList(_, items) => isOfBytes(items)
    case ValueShape.VariableWidth(_) | ValueShape.Struct(_) => false
  }

  /** Whether fixed-width values do not fill whole bytes. */
  private def hasBits(shape: ValueShape): Boolean = shape match {
    case ValueShape.FixedWidth(bits) => bits % 8 != 0
    case ValueShape.FixedSizeList(dimension, items) => hasBits(items) && dimension % 8 != 0
    case ValueShape.VariableWidth(_) => false
    case ValueShape.Struct(fields) => fields.exists(hasBits)
  }

  /** Refuses null fields of valid structs: the format cannot store them.
    *
    * @param path
    *   the field's path from the top-level field
    */
  def refuseNulls(column: Column, field: Field, path: String, version: FileVersion): Unit =
    refuseNulls(column, column.nulls, field, path, version)

  private def refuseNulls(
      column: Column,
      around: NullMask,
      field: Field,
      path: String,
      version: FileVersion
  ): Unit = column.values match {
    case structs: StructBlock => structs.children.zip(field.children).foreach { case (child, inner) =>
        val name = s"$path.${inner.name}"
        if (hasNullsBesides(child.nulls, around)) refuse(name, "is a field of a packed struct and")
        refuseNulls(child, around, inner, name, version)
      }
    case lists: FixedSizeListBlock =>
      if (version == FileVersion.V2_0 && hasNullItemsBesides(lists, around))
        refuse(path, "is a list in a packed struct, whose items")
    case _ => ()
  }

  private def hasNullsBesides(nulls: NullMask, around: NullMask): Boolean =
    nulls.hasNulls && (0 until nulls.length).exists(i => nulls.isNull(i) && !around.isNull(i))

  private def hasNullItemsBesides(lists: FixedSizeListBlock, around: NullMask): Boolean =
    lists.itemNulls.hasNulls && (0 until lists.length * lists.dimension).exists { i =>
      lists.itemNulls.isNull(i) && !around.isNull(i / lists.dimension)
    }

  private def refuse(name: String, what: String): Nothing = throw new LanceUsageException(
    s"Column '$name' $what cannot be NULL there, but was given NULLs. Fill them in, make the whole struct NULL, or " +
      "leave out the metadata 'lance-encoding:packed'."
  )
}
