package io.sparklance.encoding.structural

import io.sparklance.proto.encodings.RepDefLayer
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Repetition and definition levels.
  *
  * Level 0 is a valid leaf. From the leaf outwards each layer takes the next numbers for what can be missing there: a
  * nullable item or list one for "null", an emptyable list one for "empty", a list that can be either "null" and then
  * "empty".
  */
private[encoding] object RepDef {

  /** The highest definition level that `layers` give a meaning. */
  def maxDefinition(layers: Seq[RepDefLayer]): Int = layers.map(definitions).sum

  def refuseLists(layers: Seq[RepDefLayer]): Unit =
    if (layers.exists(isList)) throw new UnsupportedLanceFeatureException("repetition levels (lists)")

  /** Whether any of the levels is not 0. One that no layer explains means that page and description do not belong together.
    */
  def anyDefinition(levels: Array[Short], from: Int, count: Int, max: Int): Boolean = {
    var all = 0
    var i = from
    while (i < from + count) {
      all |= levels(i)
      i += 1
    }
    // No level is above `all`, so that they need a closer look only if that is too high.
    if ((all & 0xffff) > max) checkDefinitions(levels, from, count, max)
    all != 0
  }

  private def checkDefinitions(levels: Array[Short], from: Int, count: Int, max: Int): Unit = {
    val highest = (from until from + count).foldLeft(0)((high, i) => math.max(high, levels(i) & 0xffff))
    if (highest > max)
      throw new LanceFormatException(s"definition level $highest in a page whose layers go up to $max")
  }

  private def definitions(layer: RepDefLayer): Int = layer match {
    case RepDefLayer.REPDEF_ALL_VALID_ITEM | RepDefLayer.REPDEF_ALL_VALID_LIST => 0
    case RepDefLayer.REPDEF_NULLABLE_ITEM | RepDefLayer.REPDEF_NULLABLE_LIST |
        RepDefLayer.REPDEF_EMPTYABLE_LIST =>
      1
    case RepDefLayer.REPDEF_NULL_AND_EMPTY_LIST => 2
    case RepDefLayer.REPDEF_UNSPECIFIED | RepDefLayer.Unrecognized(_) => unknown(layer)
  }

  private def isList(layer: RepDefLayer): Boolean = layer match {
    case RepDefLayer.REPDEF_ALL_VALID_ITEM | RepDefLayer.REPDEF_NULLABLE_ITEM => false
    case RepDefLayer.REPDEF_ALL_VALID_LIST | RepDefLayer.REPDEF_NULLABLE_LIST |
        RepDefLayer.REPDEF_EMPTYABLE_LIST | RepDefLayer.REPDEF_NULL_AND_EMPTY_LIST =>
      true
    case RepDefLayer.REPDEF_UNSPECIFIED | RepDefLayer.Unrecognized(_) => unknown(layer)
  }

  private def unknown(layer: RepDefLayer): Nothing =
    throw new LanceFormatException(s"a page has a layer of unknown kind ${layer.value}")
}
