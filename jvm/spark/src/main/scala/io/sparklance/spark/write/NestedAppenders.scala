package io.sparklance.spark.write

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters

import io.sparklance.data.{ListBlock, NullMask, StructBlock}

final private class StructAppender(children: Array[ValueAppender], block: StructBlock, nulls: NullMask)
    extends ValueAppender(nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = {
    val struct = row.getStruct(ordinal, children.length)
    var i = 0
    while (i < children.length) { children(i).append(struct, i); i += 1 }
    block.advance(1)
  }

  def appendSlots(n: Int): Unit = block.appendSlots(n)
}

final private class ListAppender(items: ValueAppender, block: ListBlock, nulls: NullMask)
    extends ValueAppender(nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = {
    val list = row.getArray(ordinal)
    val count = list.numElements()
    var i = 0
    while (i < count) { items.append(list, i); i += 1 }
    block.endList()
  }

  def appendSlots(n: Int): Unit = block.appendSlots(n)
}

final private class MapAppender(
    keys: ValueAppender,
    values: ValueAppender,
    entries: StructBlock,
    block: ListBlock,
    nulls: NullMask
) extends ValueAppender(nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = {
    val map = row.getMap(ordinal)
    val (keyArray, valueArray) = (map.keyArray(), map.valueArray())
    val count = map.numElements()
    var i = 0
    while (i < count) {
      keys.append(keyArray, i)
      values.append(valueArray, i)
      i += 1
    }
    entries.advance(count)
    block.items.nulls.appendValid(count)
    block.endList()
  }

  def appendSlots(n: Int): Unit = block.appendSlots(n)
}
