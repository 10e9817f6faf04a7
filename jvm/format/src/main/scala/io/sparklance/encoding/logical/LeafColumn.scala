package io.sparklance.encoding.logical

import io.sparklance.data.{Column, ListBlock, Slice, StructBlock, ValueShape}
import io.sparklance.encoding.{DecodeUnit, Layers, Levels, OpenPage}
import io.sparklance.schema.{Field, Leaf, LogicalType}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** A leaf's values with the structs and lists around it; decoding appends to them. A struct has the leaf's
  * branch as its only child; its other leaves come from other columns of the file.
  *
  * A page has no entry for a fixed-size list of structs: its items are rows, and the levels of the list, and
  * of what is around it, are repeated for each item. Here such a list is a struct for each item.
  */
final private[sparklance] class LeafColumn(val leaf: Leaf) {
  LeafColumn.refuseListsOfFixedSizeLists(leaf)
  val shape: ValueShape = PrimitiveField.shapeOf(leaf.field)

  private val innermostFirst: Vector[Column] =
    leaf.around.reverse.scanLeft(Column.forShape(shape))((inside, field) => LeafColumn.around(inside, field))

  /** One value for each row, and for each item of a fixed-size list of structs. */
  val column: Column = innermostFirst.last

  /** Whether some rows may be much larger than others. */
  val isVariable: Boolean =
    ValueShape.isVariable(shape) || innermostFirst.exists(_.values.isInstanceOf[ListBlock])

  private val levels = new Levels
  private val unravel = new Unravel

  /** Appends the rows of `unit`. */
  def decode(page: OpenPage, unit: DecodeUnit, bytes: Slice): Unit =
    if (leaf.around.isEmpty) {
      PrimitiveField.decode(page, unit, bytes, column, levels)
      if (column.nulls.hasNulls && !leaf.field.nullable) refuseNulls(leaf.field)
    } else {
      levels.clear()
      val values = innermostFirst.head.values
      val (valuesBefore, rowsBefore) = (values.length, column.length)
      page.decode(unit, bytes, values, levels)
      unravel.append(levels, page.layers, innermostFirst, values.length - valuesBefore)
      val rows = column.length - rowsBefore
      if (rows != unit.rows.length)
        throw new LanceFormatException(s"rows ${unit.rows} of a page decode to $rows values")
      checkNulls(page.layers)
    }

  private def checkNulls(layers: Layers): Unit =
    if (levels.hasDefinition) layers.innermostFirst.zip(leaf.path.reverse).foreach { case (layer, field) =>
      if (!field.nullable && layer.nullLevel.exists(levels.contains)) refuseNulls(field)
    }

  private def refuseNulls(field: Field): Nothing = throw new LanceFormatException(
    s"a null in field '${field.name}', whose schema does not allow nulls"
  )
}

private[sparklance] object LeafColumn {

  /** Returns an empty column for a field and its descendants. */
  def ofNulls(field: Field): Column = field.logicalType match {
    case _ if field.isBlob => Column.forShape(PrimitiveField.shapeOf(field))
    case LogicalType.Struct => new Column(new StructBlock(field.children.map(ofNulls)))
    case LogicalType.FixedSizeList(_, _) if field.children.nonEmpty =>
      new Column(new ListBlock(ofNulls(field.children.head)))
    case _ if field.children.nonEmpty => around(ofNulls(field.children.head), field)
    case _ => Column.forShape(PrimitiveField.shapeOf(field))
  }

  /** Returns an empty column for a struct without fields. No writer makes such structs, or what is around
    * them, null, or puts them into lists; the contents of their pages are ignored.
    */
  def ofEmptyStructs(leaf: Leaf): Column = {
    leaf.around.find(_.logicalType != LogicalType.Struct).foreach { list =>
      throw new UnsupportedLanceFeatureException(s"structs without fields in a list (column '${list.name}')")
    }
    leaf.around.foldLeft(new Column(new StructBlock(Vector.empty)))((inside, _) =>
      new Column(new StructBlock(Vector(inside)))
    )
  }

  /** Appends structs of structs, all of them valid. */
  def appendStructs(column: Column, n: Int): Unit = {
    column.nulls.appendValid(n)
    column.values match {
      case structs: StructBlock =>
        structs.children.foreach(appendStructs(_, n))
        structs.advance(n)
      case other => throw new IllegalStateException(s"no structs: ${other.getClass}")
    }
  }

  /** pylance writes some of these and cannot read them. */
  private def refuseListsOfFixedSizeLists(leaf: Leaf): Unit = {
    val fromLists = leaf.around.map(_.logicalType).dropWhile {
      case LogicalType.List(_, _) | LogicalType.Map => false
      case _ => true
    }
    if (fromLists.exists { case LogicalType.FixedSizeList(_, _) => true; case _ => false })
      throw new UnsupportedLanceFeatureException(
        s"fixed-size lists of structs in lists (column '${leaf.name}')"
      )
  }

  private def around(inside: Column, field: Field): Column = field.logicalType match {
    case LogicalType.Struct | LogicalType.FixedSizeList(_, _) => new Column(new StructBlock(Vector(inside)))
    case LogicalType.List(_, _) | LogicalType.Map => new Column(new ListBlock(inside))
    case other =>
      throw new LanceFormatException(s"field '${field.name}' of type $other has fields inside")
  }
}
