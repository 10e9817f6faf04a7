package io.sparklance.encoding.logical

import io.sparklance.data.{Column, FileVersion, ListBlock, StructBlock}
import io.sparklance.encoding.compression.FileDictionaries
import io.sparklance.encoding.{EncodedPage, EncodingHints, Slots}
import io.sparklance.schema.{BlobVersion, Field, Leaf, LogicalType}
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** Encodes a top-level field: pages for each of its leaves. */
private[sparklance] object FieldPages {

  /** Encodes all rows of `column`, which is not empty. Returns the pages of each leaf. Overwrites values
    * below nulls.
    *
    * @param leaves
    *   the leaves of the top-level field of `column`
    * @param dictionaries
    *   the file's dictionaries
    */
  def encode(
      column: Column,
      leaves: Vector[Leaf],
      version: FileVersion,
      dictionaries: FileDictionaries = new FileDictionaries
  ): Vector[Vector[EncodedPage]] = {
    clearBelowNulls(column)
    leaves.map { leaf =>
      if (leaf.field.isPacked)
        PackedStructs.refuseNulls(path(column, leaf).last, leaf.field, leaf.name, version)
      if (leaf.isEmpty) Vector(emptyStructs(leaf, path(column, leaf), version))
      else if (leaf.around.isEmpty) Vector(PrimitiveField.encode(column, leaf.field, version, dictionaries))
      else nested(leaf, path(column, leaf), version, dictionaries)
    }
  }

  /** Whether field metadata can ask for this compression. */
  def isCompression(text: String): Boolean = EncodingHints.parseCompression(text).isDefined

  /** Adds a compression hint to the field and its descendants, unless they have one. */
  def compressing(field: Field, compression: Option[String]): Field = field.copy(
    metadata = compression.map(EncodingHints.CompressionKey -> _).toMap ++ field.metadata,
    children = field.children.map(compressing(_, compression))
  )

  /** Refuses a leaf that files of `version` cannot hold. */
  def refuseUnwritable(leaf: Leaf, version: FileVersion): Unit = {
    def refuse(kind: String): Nothing =
      throw new UnsupportedLanceFeatureException(s"writing $kind (column '${leaf.name}')")
    if (leaf.field.isBlob) refuseUnwritableBlobs(leaf, version)
    if (leaf.field.isPacked) PackedStructs.refuseUnwritable(leaf, version)
    leaf.around.map(_.logicalType).foreach {
      case LogicalType.Map if version != FileVersion.V2_2 => refuseMap(leaf, version)
      case LogicalType.FixedSizeList(_, _) => refuse("fixed-size lists of structs")
      case LogicalType.List(_, _) | LogicalType.Map if leaf.isEmpty =>
        refuse("structs without fields in a list")
      case _ => ()
    }
    if (!leaf.isEmpty) { val _ = PrimitiveField.shapeOf(leaf.field) }
  }

  /** No reader supports blobs of version 1 in lists; older files cannot hold the descriptors of version 2. */
  private def refuseUnwritableBlobs(leaf: Leaf, version: FileVersion): Unit = leaf.field.blobVersion match {
    case Some(BlobVersion.V1) if leaf.around.exists(_.logicalType != LogicalType.Struct) =>
      throw new UnsupportedLanceFeatureException(
        s"writing blobs in lists to files before version 2.2 (column '${leaf.name}')"
      )
    case Some(BlobVersion.V2) if version != FileVersion.V2_2 =>
      throw new UnsupportedLanceFeatureException(
        s"writing blobs of version 2 to files of version $version (column '${leaf.name}')"
      )
    case Some(BlobVersion.V1 | BlobVersion.V2) | None => ()
  }

  private def refuseMap(leaf: Leaf, version: FileVersion): Nothing = {
    val name = leaf.around.take(leaf.around.indexWhere(_.logicalType == LogicalType.Map) + 1).map(_.name)
    throw new LanceUsageException(
      s"Column '${name.mkString(".")}' is a map, which files of version $version cannot hold. Write a table of version " +
        "2.2 (option dataStorageVersion), or make it an array of structs: map_entries(…)."
    )
  }

  private def nested(
      leaf: Leaf,
      path: Vector[Column],
      version: FileVersion,
      dictionaries: FileDictionaries
  ): Vector[EncodedPage] = {
    val slots = Shred(path)
    refuseNulls(leaf, slots)
    val values = new Column(path.last.values, slots.valueNulls)
    if (values.nulls.hasNulls) values.values.zeroNulls(values.nulls.orNull)
    new LeafPages(leaf, version, dictionaries).encode(values, slots)
  }

  /** Encodes structs without fields. No reader decodes the levels of such pages, so that there must be no
    * nulls.
    */
  private def emptyStructs(leaf: Leaf, path: Vector[Column], version: FileVersion): EncodedPage = {
    if (path.exists(_.nulls.hasNulls))
      throw new LanceUsageException(
        s"Column '${leaf.name}' holds structs without fields, and Lance cannot store which of these are null. " +
          "Filter the nulls out, or give the struct a field."
      )
    LeafPages.allNull(path.head.length, version)
  }

  /** Empties lists that are null or inside a null struct. */
  private def clearBelowNulls(column: Column): Unit = {
    if (column.nulls.hasNulls) column.values match {
      case _: StructBlock | _: ListBlock => column.values.zeroNulls(column.nulls.orNull)
      case _ => ()
    }
    column.values match {
      case structs: StructBlock => structs.children.foreach(clearBelowNulls)
      case lists: ListBlock => clearBelowNulls(lists.items)
      case _ => ()
    }
  }

  /** Returns the columns from the top-level field to the leaf. */
  private def path(column: Column, leaf: Leaf): Vector[Column] =
    leaf.path.zip(leaf.path.tail).scanLeft(column) { case (outer, (field, next)) =>
      outer.values match {
        case structs: StructBlock => structs.children(field.children.indexWhere(_.id == next.id))
        case lists: ListBlock => lists.items
        case other => throw new IllegalStateException(s"'${field.name}' is in a ${other.getClass}")
      }
    }

  private def refuseNulls(leaf: Leaf, slots: Slots): Unit =
    slots.layers.innermostFirst.zip(leaf.path.reverse).foreach { case (layer, field) =>
      if (!field.nullable && layer.nullLevel.exists(slots.contains)) {
        val around = leaf.path.takeWhile(_.id != field.id)
        PrimitiveField.refuseNulls((around :+ field).map(_.name).mkString("."))
      }
    }
}
