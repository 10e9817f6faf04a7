package io.sparklance.testkit

import io.sparklance.encoding.Levels
import io.sparklance.proto.encodings.RepDefLayer

/** The plain way from nested values to levels, which tests hold the decoder against. A value is
  * `Option[Any]`: None is null, a struct is `Seq` of its only field, a list `Seq` of its items, and a leaf an
  * Int.
  */
object Shredder {
  sealed trait Nesting
  case object Struct extends Nesting
  case object List extends Nesting

  /** @param layers
    *   innermost first
    * @param values
    *   of the leaf, 0 for its nulls
    */
  final case class Shredded(
      repetition: Seq[Int],
      definition: Seq[Int],
      layers: Seq[RepDefLayer],
      values: Seq[Int]
  ) {
    def levels: Levels = {
      val levels = new Levels
      val at = levels.extend(definition.length)
      definition.indices.foreach { i =>
        levels.definition(at + i) = definition(i).toShort
        levels.repetition(at + i) = repetition(i).toShort
      }
      levels.hasRepetition = layers.exists(isList)
      levels.hasDefinition = definition.exists(_ != 0)
      levels
    }
  }

  /** @param path
    *   outermost first
    * @param layers
    *   innermost first; they may allow more than the rows need
    */
  def shred(rows: Seq[Option[Any]], path: Seq[Nesting], layers: Seq[RepDefLayer]): Shredded = {
    val before = layers.scanLeft(0)((sum, layer) => sum + levelsOf(layer))
    val slots = rows.flatMap(slotsOf(_, path.toList, layers, before, listsIn(path)))
    Shredded(slots.map(_._1), slots.map(_._2), layers, slots.flatMap(_._3))
  }

  private type Slot = (Int, Int, Option[Int])

  /** The first slot's repetition is `rep`. */
  private def slotsOf(
      value: Option[Any],
      path: scala.List[Nesting],
      layers: Seq[RepDefLayer],
      before: Seq[Int],
      rep: Int
  ): Seq[Slot] = {
    val layer = path.length
    def missing(definition: Int): Seq[Slot] =
      Seq((rep, definition, Option.when(!path.contains(List))(0)))
    (path, value) match {
      case (_, None) => missing(before(layer) + 1)
      case (Nil, Some(leaf: Int)) => Seq((rep, 0, Some(leaf)))
      case (Struct :: inner, Some(Seq(field))) =>
        slotsOf(field.asInstanceOf[Option[Any]], inner, layers, before, rep)
      case (List :: _, Some(Seq())) => missing(before(layer) + levelsOf(layers(layer)))
      case (List :: inner, Some(items: Seq[_])) =>
        items.zipWithIndex.flatMap { case (item, i) =>
          val own = if (i == 0) rep else listsIn(inner)
          slotsOf(item.asInstanceOf[Option[Any]], inner, layers, before, own)
        }
      case other => throw new IllegalArgumentException(s"$other")
    }
  }

  /** The fewest layers with which `rows` can be shredded, and the most. */
  def layersOf(rows: Seq[Option[Any]], path: Seq[Nesting]): Seq[RepDefLayer] = {
    def within(values: Seq[Option[Any]], path: scala.List[Nesting]): scala.List[RepDefLayer] = {
      val hasNull = values.contains(None)
      path match {
        case Nil => scala.List(item(hasNull))
        case kind :: inner =>
          val items = values.flatten.map(_.asInstanceOf[Seq[Option[Any]]])
          // A struct's null is seen from the list inside of it.
          val layer = if (kind == Struct) item(hasNull) else list(hasNull, items.exists(_.isEmpty))
          layer :: within(items.flatten, inner)
      }
    }
    within(rows, path.toList).reverse
  }

  def mostLayers(path: Seq[Nesting]): Seq[RepDefLayer] =
    (item(hasNull = true) +: path.reverse.map {
      case Struct => item(hasNull = true)
      case List => list(hasNull = true, hasEmpty = true)
    })

  private def item(hasNull: Boolean): RepDefLayer =
    if (hasNull) RepDefLayer.REPDEF_NULLABLE_ITEM else RepDefLayer.REPDEF_ALL_VALID_ITEM

  private def list(hasNull: Boolean, hasEmpty: Boolean): RepDefLayer = (hasNull, hasEmpty) match {
    case (false, false) => RepDefLayer.REPDEF_ALL_VALID_LIST
    case (true, false) => RepDefLayer.REPDEF_NULLABLE_LIST
    case (false, true) => RepDefLayer.REPDEF_EMPTYABLE_LIST
    case (true, true) => RepDefLayer.REPDEF_NULL_AND_EMPTY_LIST
  }

  private def levelsOf(layer: RepDefLayer): Int = layer match {
    case RepDefLayer.REPDEF_NULL_AND_EMPTY_LIST => 2
    case RepDefLayer.REPDEF_ALL_VALID_ITEM | RepDefLayer.REPDEF_ALL_VALID_LIST => 0
    case _ => 1
  }

  private def isList(layer: RepDefLayer): Boolean =
    layer != RepDefLayer.REPDEF_ALL_VALID_ITEM && layer != RepDefLayer.REPDEF_NULLABLE_ITEM

  private def listsIn(path: Seq[Nesting]): Int = path.count(_ == List)
}
