package io.sparklance.encoding.logical

import java.util.Arrays

import io.sparklance.data.{Column, DataBlock, ListBlock, NullMask}
import io.sparklance.encoding.{Layer, Layers, Slots}
import io.sparklance.proto.encodings.RepDefLayer

/** Converts nulls and lists to the levels of slots; [[Unravel]] is the inverse.
  *
  * From the outermost layer inwards, each layer marks its nulls, and each list replaces its slot by one for
  * each item. Levels are numbered at first as if everything could be null or empty; then unused ones are
  * removed.
  */
final private[logical] class Shred private (widest: Layers, rows: Int) {
  private var repetition = new Array[Short](rows)
  private var definition = new Array[Short](rows)
  private var length = rows
  Arrays.fill(repetition, widest.maxRepetition.toShort)

  /** Sets the null level on the slots of null entries, unless something around them is null already. */
  private def mark(nulls: NullMask, layer: Layer.Item): Unit = {
    val level = layer.nullLevel.getOrElse(0).toShort
    var entry = 0
    var slot = 0
    while (slot < length) {
      if (definition(slot) <= layer.maxDefinition) {
        if (definition(slot) == 0 && nulls.isNull(entry)) definition(slot) = level
        entry += 1
      }
      slot += 1
    }
    Shred.expect(entry, nulls.length)
  }

  private def expand(lists: ListBlock, nulls: NullMask, layer: Layer.List): Unit = {
    val (oldRepetition, oldDefinition, oldLength) = (repetition, definition, length)
    val room = Math.addExact(oldLength, lists.itemCount)
    repetition = new Array[Short](room)
    definition = new Array[Short](room)
    val (ifNull, ifEmpty) = (layer.nullLevel.getOrElse(0).toShort, layer.emptyLevel.getOrElse(0).toShort)
    val inside = (layer.minRepetition - 1).toShort
    var entry = 0
    var out = 0
    var slot = 0
    while (slot < oldLength) {
      val level = oldDefinition(slot)
      repetition(out) = oldRepetition(slot)
      definition(out) = level
      if (level <= layer.maxDefinition) {
        val items = lists.offsets(entry + 1) - lists.offsets(entry)
        if (level == 0 && items == 0) definition(out) = if (nulls.isNull(entry)) ifNull else ifEmpty
        if (items > 1) {
          Arrays.fill(repetition, out + 1, out + items, inside)
          out += items - 1
        }
        entry += 1
      }
      out += 1
      slot += 1
    }
    length = out
    Shred.expect(entry, lists.length)
  }

  private def slots: Slots = {
    val seen = new Array[Boolean](widest.maxDefinition + 1)
    var slot = 0
    while (slot < length) { seen(definition(slot).toInt) = true; slot += 1 }
    val kinds = Shred.needed(widest, seen)
    val needed = Layers.parse(kinds)
    if (needed.maxDefinition > 0 && needed.maxDefinition < widest.maxDefinition)
      renumber(Shred.renumbering(widest, needed))
    new Slots(
      kinds,
      length,
      Option.when(needed.maxRepetition > 0)(repetition),
      Option.when(needed.maxDefinition > 0)(definition)
    )
  }

  private def renumber(to: Array[Short]): Unit = {
    var slot = 0
    while (slot < length) { definition(slot) = to(definition(slot).toInt); slot += 1 }
  }
}

private[logical] object Shred {

  /** @param path outermost first, the leaf last; lists that are null or inside a null struct have no items */
  def apply(path: Vector[Column]): Slots = {
    val widest = Layers.parse(path.reverse.map(column => widestKind(column.values)))
    val shred = new Shred(widest, path.head.length)
    path.zip(widest.innermostFirst.reverse).foreach { case (column, layer) =>
      (column.values, layer) match {
        case (lists: ListBlock, list: Layer.List) => shred.expand(lists, column.nulls, list)
        case (_, item: Layer.Item) => shred.mark(column.nulls, item)
        case (block, other) => throw new IllegalStateException(s"$other for a ${block.getClass}")
      }
    }
    shred.slots
  }

  private def widestKind(values: DataBlock): RepDefLayer = values match {
    case _: ListBlock => RepDefLayer.REPDEF_NULL_AND_EMPTY_LIST
    case _ => RepDefLayer.REPDEF_NULLABLE_ITEM
  }

  /** Returns the layers that the used levels need, and those without which pylance 14.0.2 fails:
    *
    *   - A struct around a list is nullable in every page: it counts list items instead of structs in a page
    *     without null structs beside one that has some.
    *   - So is a list inside a struct: it cannot take a nullable struct around a list that is not, and
    *     confuses a list inside a null struct with null lists farther outside.
    *   - Structs and leaves inside structs of which some are null are nullable, also required ones. When it
    *     reads a field alone, in a condition or projection, only the field's own layer makes it null there.
    */
  private def needed(widest: Layers, seen: Array[Boolean]): Vector[RepDefLayer] = {
    def occurs(level: Option[Int]): Boolean = level.exists(seen(_))
    val layers = widest.innermostFirst
    layers.indices.toVector.map { i =>
      val structsAround =
        layers.drop(i + 1).takeWhile { case _: Layer.Item => true; case _: Layer.List => false }
      layers(i) match {
        case item: Layer.Item =>
          val isAroundList = layers.take(i).exists { case _: Layer.List => true; case _: Layer.Item => false }
          val isInNull = structsAround.exists(struct => occurs(struct.nullLevel))
          if (isAroundList || isInNull || occurs(item.nullLevel)) RepDefLayer.REPDEF_NULLABLE_ITEM
          else RepDefLayer.REPDEF_ALL_VALID_ITEM
        case list: Layer.List =>
          val isInStruct =
            layers.drop(i + 1).exists { case _: Layer.Item => true; case _: Layer.List => false }
          (occurs(list.nullLevel) || isInStruct, occurs(list.emptyLevel)) match {
            case (false, false) => RepDefLayer.REPDEF_ALL_VALID_LIST
            case (true, false) => RepDefLayer.REPDEF_NULLABLE_LIST
            case (false, true) => RepDefLayer.REPDEF_EMPTYABLE_LIST
            case (true, true) => RepDefLayer.REPDEF_NULL_AND_EMPTY_LIST
          }
      }
    }
  }

  /** Maps each level of `from` to its level in `to`. */
  private def renumbering(from: Layers, to: Layers): Array[Short] = {
    val map = new Array[Short](from.maxDefinition + 1)
    def put(old: Option[Int], now: Option[Int]): Unit = for (o <- old; n <- now) map(o) = n.toShort
    from.innermostFirst.zip(to.innermostFirst).foreach { case (old, now) =>
      put(old.nullLevel, now.nullLevel)
      (old, now) match {
        case (a: Layer.List, b: Layer.List) => put(a.emptyLevel, b.emptyLevel)
        case (_: Layer.List, _: Layer.Item) | (_: Layer.Item, _: Layer) => ()
      }
    }
    map
  }

  private def expect(entries: Int, there: Int): Unit =
    if (entries != there)
      throw new IllegalStateException(s"$there entries of a column stand at $entries slots")
}
