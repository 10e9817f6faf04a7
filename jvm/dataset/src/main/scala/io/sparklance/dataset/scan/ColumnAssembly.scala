package io.sparklance.dataset.scan

import io.sparklance.LanceFormatException
import io.sparklance.data.{Column, ListBlock, NullMask, StructBlock}
import io.sparklance.schema.{Field, LogicalType}

/** Assembles a top-level field from the columns of its leaves. A struct or list takes its nulls and bounds
  * from any of its leaves, which agree, and its values from all. The result is a view of the current batch.
  *
  * Leaves without a file are null. Files that were written at different times may differ in the nulls of
  * structs; as in pylance, a struct is valid if any of them has it valid.
  *
  * @param field
  *   the wanted fields, in the wanted order
  * @param missing
  *   a column of nulls for each field that no part is in
  * @param parts
  *   of the leaves that some file has, and of others that are only needed for the structs around them
  */
final private class ColumnAssembly(field: Field, parts: Vector[LeafPart], missing: Map[Int, Column])
    extends BatchColumn {

  def column(rows: Int): Column =
    view(field, parts.map(p => AssemblyBranch(p, p.leaf.path.tail, p.column, p.stride)), rows)

  private def view(field: Field, branches: Vector[AssemblyBranch], count: Int): Column =
    branches.headOption match {
      case None => nulls(field, count)
      case Some(first) if first.below.isEmpty => first.column
      case Some(first) =>
        (first.column.values, field.logicalType) match {
          case (_: StructBlock, LogicalType.FixedSizeList(_, size)) =>
            fixedSizeLists(field, size, branches, count)
          case (_: StructBlock, _) => structs(field, branches, count)
          case (lists: ListBlock, _) => this.lists(field, branches, lists, count)
          case (other, _) => throw new IllegalStateException(s"${field.name} is in a ${other.getClass}")
        }
    }

  private def structs(field: Field, branches: Vector[AssemblyBranch], count: Int): Column = {
    val inside = branches.map(_.insideStruct)
    val children =
      field.children.map(child => view(child, inside.filter(_.field.id == child.id).map(_.next), count))
    val block = new StructBlock(children)
    block.advance(count)
    new Column(block, sharedNulls(branches, count))
  }

  private def fixedSizeLists(
      field: Field,
      size: Int,
      branches: Vector[AssemblyBranch],
      count: Int
  ): Column = {
    val items = branches.map(_.insideFixedSizeList(size).next)
    val block = new ListBlock(view(field.children.head, items, Math.multiplyExact(count, size)))
    block.offsets = Array.tabulate(count + 1)(_ * size)
    block.advance(count)
    new Column(block, sharedNulls(branches, count))
  }

  private def lists(field: Field, branches: Vector[AssemblyBranch], first: ListBlock, count: Int): Column = {
    if (!branches.tail.forall(_.hasBounds(first, count))) disagree(branches)
    val items = first.offsets(count)
    val inside = branches.map(_.insideList)
    val block = new ListBlock(view(field.children.head, inside.map(_.next), items))
    block.offsets = first.offsets
    block.advance(count)
    new Column(block, sharedNulls(branches, count))
  }

  /** Returns which of the first `count` values are null: in the file or, with several files, in each of them.
    */
  private def sharedNulls(branches: Vector[AssemblyBranch], count: Int): NullMask = {
    val bySource = branches.groupMap(_.part.source)(_.nulls(count)).values.toVector
    if (!bySource.forall(masks => masks.tail.forall(_.agrees(masks.head, count)))) disagree(branches)
    if (bySource.size == 1) bySource.head.head
    else {
      val merged = new NullMask
      for (i <- 0 until count)
        if (bySource.forall(_.head.isNull(i))) merged.appendNull(1) else merged.appendValid(1)
      merged
    }
  }

  private def nulls(field: Field, count: Int): Column = {
    val column = missing(field.id)
    column.appendNulls(math.max(0, count - column.length))
    column
  }

  private def disagree(branches: Vector[AssemblyBranch]): Nothing = throw new LanceFormatException(
    branches.map(_.part.leaf.name).mkString("columns ", " and ", " have different nulls or lists around them")
  )
}

/** The way to a leaf, seen from somewhere along it.
  *
  * @param below
  *   the fields that are still ahead, the leaf being the last
  * @param column
  *   what is here
  * @param stride
  *   how many of its values there are for each of what is here
  */
final private case class AssemblyBranch(part: LeafPart, below: Vector[Field], column: Column, stride: Int) {

  /** The next field on the way. */
  def field: Field = below.head
  def next: AssemblyBranch = copy(below = below.tail)

  def insideStruct: AssemblyBranch = column.values match {
    case structs: StructBlock => copy(column = structs.children.head)
    case other => throw new IllegalStateException(s"no structs: ${other.getClass}")
  }

  def insideFixedSizeList(size: Int): AssemblyBranch = insideStruct.copy(stride = stride / size)

  /** Returns which of the first `count` values are null. */
  def nulls(count: Int): NullMask = if (stride == 1) column.nulls
  else {
    val some = new NullMask
    for (i <- 0 until count) {
      val nulls = (i * stride until (i + 1) * stride).count(column.nulls.isNull)
      if (nulls == 0) some.appendValid(1)
      else if (nulls == stride) some.appendNull(1)
      else
        throw new LanceFormatException(s"a fixed-size list that is null in part (column '${part.leaf.name}')")
    }
    some
  }

  def insideList: AssemblyBranch = copy(column = lists.items)

  /** Whether the first `count` lists have the same bounds as those of `other`. */
  def hasBounds(other: ListBlock, count: Int): Boolean =
    java.util.Arrays.equals(lists.offsets, 0, count + 1, other.offsets, 0, count + 1)

  private def lists: ListBlock = column.values match {
    case lists: ListBlock => lists
    case other => throw new IllegalStateException(s"no lists: ${other.getClass}")
  }
}
