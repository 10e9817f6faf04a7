package io.sparklance.encoding.logical

import io.sparklance.LanceFormatException
import io.sparklance.data.{Column, DataBlock, ListBlock, StructBlock}
import io.sparklance.encoding.{Layer, Layers, Levels}

/** Converts the levels of slots to nulls and lists, one layer at a time; see [[Layers]].
  *
  * Values inside a null struct become null, whatever the page stores, so that the leaves of a struct agree.
  */
final private[sparklance] class Unravel {

  /** Nulls of a list's entries, as levels: 1 is null. */
  private var marks = new Array[Short](1024)

  /** Appends whole rows.
    *
    * @param columns
    *   innermost first: the leaf, whose last `values` values are those of the slots, and what is around it
    */
  def append(levels: Levels, layers: Layers, columns: Vector[Column], values: Int): Unit = {
    if (layers.size != columns.size)
      throw new LanceFormatException(s"a page of ${layers.size} layers in a column of ${columns.size}")
    if (!levels.hasRepetition && layers.maxRepetition > 0)
      throw new LanceFormatException("a page with lists but without repetition levels")
    var inside: Option[DataBlock] = None
    layers.innermostFirst.zip(columns).foreach { case (layer, column) =>
      (layer, inside, column.values) match {
        case (item: Layer.Item, None, _) => appendLeaf(levels, item, column, values)
        case (item: Layer.Item, Some(_), structs: StructBlock) =>
          structs.advance(appendItems(levels, item, column, values))
        case (list: Layer.List, Some(_), lists: ListBlock) => appendLists(levels, list, column, lists)
        case (other, _, block) =>
          throw new LanceFormatException(s"a page has $other for a ${block.getClass.getSimpleName}")
      }
      inside = Some(column.values)
    }
  }

  private def appendLeaf(levels: Levels, layer: Layer.Item, column: Column, values: Int): Unit = {
    val entries = appendItems(levels, layer, column, values)
    if (entries != values) throw new LanceFormatException(s"$values values have levels for $entries")
  }

  /** Appends the nulls of an item layer. Returns the number of its entries. */
  private def appendItems(levels: Levels, layer: Layer.Item, column: Column, values: Int): Int =
    if (!levels.hasRepetition && !levels.hasDefinition) {
      column.nulls.appendValid(values)
      values
    } else if (!levels.hasRepetition) {
      column.nulls.appendLevels(levels.definition, 0, levels.length, layer.maxValid)
      levels.length
    } else {
      val entries = gather(levels, layer)
      if (levels.hasDefinition) column.nulls.appendLevels(marks, 0, entries, layer.maxValid)
      else column.nulls.appendValid(entries)
      entries
    }

  /** Collects the definition levels of a layer's entries. Returns their number. */
  private def gather(levels: Levels, layer: Layer): Int = {
    ensureMarks(levels.length)
    val out = marks
    val (repetition, definition) = (levels.repetition, levels.definition)
    val maxDefinition = if (levels.hasDefinition) layer.maxDefinition else 0xffff
    val minRepetition = layer.minRepetition
    var count = 0
    var i = 0
    while (i < levels.length) {
      out(count) = definition(i)
      // Sign bits, so that invisible slots at random cost no mispredicted branches.
      val isOutside = (repetition(i) & 0xffff) - minRepetition | maxDefinition - (definition(i) & 0xffff)
      count += 1 - (isOutside >>> 31)
      i += 1
    }
    count
  }

  /** Appends the lists of a layer after their items. */
  private def appendLists(levels: Levels, layer: Layer.List, column: Column, lists: ListBlock): Unit = {
    ensureMarks(levels.length)
    val own = layer.minRepetition
    val empty = layer.emptyLevel.getOrElse(-1)
    lists.reserve(levels.length)
    val base = lists.length
    val offsets = lists.offsets
    var items = lists.itemCount
    var count = 0
    var hasItems = false
    var i = 0
    while (i < levels.length) {
      val repetition = levels.repetition(i) & 0xffff
      val definition = if (levels.hasDefinition) levels.definition(i) & 0xffff else 0
      if (repetition >= own) {
        hasItems = definition <= layer.maxValid
        if (definition <= layer.maxDefinition) {
          offsets(base + count) = items
          marks(count) = if (hasItems || definition == empty) 0 else 1
          count += 1
        }
        if (hasItems) items += 1
      } else {
        if (!hasItems) throw new LanceFormatException("a slot continues a list that never started")
        if (repetition == own - 1) {
          if (definition > layer.maxValid)
            throw new LanceFormatException(s"definition level $definition within a list")
          items += 1
        }
      }
      i += 1
    }
    offsets(base + count) = items
    if (items != lists.items.length)
      throw new LanceFormatException(s"lists of $items items, of which ${lists.items.length} are there")
    lists.advance(count)
    column.nulls.appendLevels(marks, 0, count, 0)
  }

  private def ensureMarks(n: Int): Unit = if (n > marks.length) marks = new Array[Short](n)
}
