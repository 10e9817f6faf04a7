package io.sparklance.encoding

import io.sparklance.LanceFormatException
import io.sparklance.proto.encodings.RepDefLayer

/** The meaning of a page's repetition and definition levels.
  *
  * A column has a layer for its leaf and one for each struct, list or map around it; pages list them from the
  * leaf outwards, each page as its own data need it. Definition level 0 is a valid leaf. From the leaf
  * outwards each layer takes the next numbers for what can be missing there: a nullable item or list one for
  * "null", an emptyable list one for "empty", a list that can be either "null" and then "empty". Lists are
  * numbered likewise: repetition level r starts a new list of the r-th layer of lists, and 0 goes on with the
  * innermost.
  *
  * {{{
  * list<list<int>>   leaf null = 1 | inner list null = 2, empty = 3 | outer list null = 4, empty = 5
  *
  *   [[1, 2], []]   null   []   [null, [3]]   [[null]]
  *   rep   2 0 1    2      2    2     1       2
  *   def   0 0 3    4      5    2     0       1
  * }}}
  */
final private[sparklance] case class Layers private (
    innermostFirst: Vector[Layer],
    maxRepetition: Int,
    maxDefinition: Int
) {

  /** Slots up to this definition level have a leaf value; the others stand for null or empty lists. */
  val maxVisible: Int = innermostFirst.headOption.fold(maxDefinition)(_.maxDefinition)

  def size: Int = innermostFirst.size
}

/** A layer of nesting. Among the slots of a page, an entry starts at each slot of at least `minRepetition`
  * and at most `maxDefinition`; at higher definition levels some list around it is null or empty.
  *
  * An entry is valid at levels up to `maxValid`, which describe its content. At levels above it is null
  * itself, or a struct around it is.
  */
sealed private[sparklance] trait Layer {
  def minRepetition: Int
  def maxDefinition: Int
  def maxValid: Int

  /** The level of null entries, if the layer is nullable. */
  def nullLevel: Option[Int]
}

private[sparklance] object Layer {

  /** A leaf or a struct. */
  final case class Item(minRepetition: Int, maxDefinition: Int, maxValid: Int, nullLevel: Option[Int])
      extends Layer

  /** A list or a map.
    *
    * @param emptyLevel
    *   the level of an empty one
    */
  final case class List(
      minRepetition: Int,
      maxDefinition: Int,
      maxValid: Int,
      nullLevel: Option[Int],
      emptyLevel: Option[Int]
  ) extends Layer
}

private[sparklance] object Layers {

  /** Layers of a column without structs or lists around it. */
  val OfLeaf: Layers = parse(Vector(RepDefLayer.REPDEF_NULLABLE_ITEM))

  /** @param kinds as pages list them, innermost first */
  def parse(kinds: Seq[RepDefLayer]): Layers = {
    val definitions = kinds.scanLeft(0)((sum, kind) => sum + definitionsOf(kind)).toVector
    val repetitions = kinds.scanLeft(0)((sum, kind) => if (isList(kind)) sum + 1 else sum).toVector
    // The next outer list decides up to which definition level a layer's entries exist.
    val existing = kinds.zip(definitions).scanRight(definitions.last) { case ((kind, before), outside) =>
      if (isList(kind)) before else outside
    }.tail
    val layers = kinds.indices.map { k =>
      val valid = definitions(k)
      val (ifNull, ifEmpty) = ownLevels(kinds(k))
      if (isList(kinds(k)))
        Layer.List(repetitions(k) + 1, existing(k), valid, ifNull.map(valid + _), ifEmpty.map(valid + _))
      else Layer.Item(repetitions(k), existing(k), valid, ifNull.map(valid + _))
    }
    new Layers(layers.toVector, repetitions.last, definitions.last)
  }

  private def definitionsOf(kind: RepDefLayer): Int = ownLevels(kind) match { case (a, b) => a.size + b.size }

  /** Returns which of a layer's levels mean "null" and "empty". */
  private def ownLevels(kind: RepDefLayer): (Option[Int], Option[Int]) = kind match {
    case RepDefLayer.REPDEF_ALL_VALID_ITEM | RepDefLayer.REPDEF_ALL_VALID_LIST => (None, None)
    case RepDefLayer.REPDEF_NULLABLE_ITEM | RepDefLayer.REPDEF_NULLABLE_LIST => (Some(1), None)
    case RepDefLayer.REPDEF_EMPTYABLE_LIST => (None, Some(1))
    case RepDefLayer.REPDEF_NULL_AND_EMPTY_LIST => (Some(1), Some(2))
    case RepDefLayer.REPDEF_UNSPECIFIED | RepDefLayer.Unrecognized(_) => unknown(kind)
  }

  private def isList(kind: RepDefLayer): Boolean = kind match {
    case RepDefLayer.REPDEF_ALL_VALID_ITEM | RepDefLayer.REPDEF_NULLABLE_ITEM => false
    case RepDefLayer.REPDEF_ALL_VALID_LIST | RepDefLayer.REPDEF_NULLABLE_LIST |
        RepDefLayer.REPDEF_EMPTYABLE_LIST | RepDefLayer.REPDEF_NULL_AND_EMPTY_LIST =>
      true
    case RepDefLayer.REPDEF_UNSPECIFIED | RepDefLayer.Unrecognized(_) => unknown(kind)
  }

  private def unknown(kind: RepDefLayer): Nothing =
    throw new LanceFormatException(s"a page has a layer of unknown kind ${kind.value}")
}
