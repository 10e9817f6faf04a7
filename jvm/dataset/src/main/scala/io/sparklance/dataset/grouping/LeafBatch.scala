package io.sparklance.dataset.grouping

import java.util.Arrays

import io.sparklance.data.{Column, DataBlock, NullMask, StructBlock}
import io.sparklance.dataset.predicate.NumberKeys
import io.sparklance.schema.{Field, Leaf}

/** The values of leaves in the current batch of rows.
  *
  * @param projection
  *   the fields of the batch's columns
  */
final private class LeafBatch(projection: Vector[Field], batchRows: Int) {
  private val everyRow = Array.range(0, batchRows)
  private var columns = Vector.empty[Column]
  private var shown = Map.empty[Int, ShownLeaf]
  private var count = 0
  private var batches = 0L

  def rows: Int = count

  /** Number of batches so far. */
  def stamp: Long = batches

  /** Moves to a batch. */
  def show(columns: Vector[Column], rows: Int): Unit = {
    this.columns = columns
    count = rows
    batches += 1
    shown = Map.empty
  }

  def values(leaf: Leaf): DataBlock = of(leaf).values

  /** Returns the rows in which a leaf, or a struct around it, is null; null if there are none. */
  def nulls(leaf: Leaf): Array[Boolean] = of(leaf).nulls

  /** Returns the keys of a leaf's numbers. Those of nulls are arbitrary. */
  def keys(leaf: Leaf, keys: NumberKeys): Array[Long] = {
    val out = new Array[Long](count)
    keys.gather(values(leaf), everyRow, count, out)
    out
  }

  private def of(leaf: Leaf): ShownLeaf = shown.getOrElse(
    leaf.field.id, {
      val found = find(projection, columns, leaf.path, Vector.empty)
      shown += leaf.field.id -> found
      found
    }
  )

  private def find(
      fields: Vector[Field],
      columns: Vector[Column],
      path: Vector[Field],
      around: Vector[NullMask]
  ): ShownLeaf = {
    val at = fields.indexWhere(_.id == path.head.id)
    val masks = around :+ columns(at).nulls
    columns(at).values match {
      case struct: StructBlock if path.size > 1 =>
        find(fields(at).children, struct.children, path.tail, masks)
      case values => new ShownLeaf(values, LeafBatch.merged(masks.filter(_.hasNulls), count))
    }
  }
}

/** Values of a leaf in a batch, as expressions see them.
  *
  * @param nulls
  *   null if there are none
  */
final private class ShownLeaf(val values: DataBlock, val nulls: Array[Boolean])

private object LeafBatch {

  private def merged(masks: Vector[NullMask], rows: Int): Array[Boolean] =
    masks.map(_.orNull).reduceOption(either(_, _, rows)).orNull

  /** Returns the rows in which one of two operands is null. */
  def either(a: Array[Boolean], b: Array[Boolean], rows: Int): Array[Boolean] =
    if (a == null) b
    else if (b == null || (a eq b)) a
    else {
      val out = Arrays.copyOf(a, rows)
      var i = 0
      while (i < rows) { out(i) = a(i) | b(i); i += 1 }
      out
    }
}
