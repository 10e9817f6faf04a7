package io.sparklance.spark.read

import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray, ColumnarMap}

import io.sparklance.data.{DataBlock, ListBlock, StructBlock}

final private[sparklance] class StructVector(dataType: DataType, children: Vector[LanceColumnVector])
    extends LanceColumnVector(dataType) {
  protected def look(block: DataBlock): Unit =
    block.asInstanceOf[StructBlock].children.iterator.zip(children.iterator).foreach {
      case (column, vector) =>
        vector.show(column)
    }
  override def getChild(ordinal: Int): ColumnVector = children(ordinal)
}

final private[sparklance] class ListVector(dataType: DataType, items: LanceColumnVector)
    extends LanceColumnVector(dataType) {
  private var offsets: Array[Int] = _
  protected def look(block: DataBlock): Unit = {
    val lists = block.asInstanceOf[ListBlock]
    offsets = lists.offsets
    items.show(lists.items)
  }
  override def getArray(row: Int): ColumnarArray =
    if (isNullAt(row)) null else new ColumnarArray(items, offsets(row), offsets(row + 1) - offsets(row))
  override def getChild(ordinal: Int): ColumnVector = items

  /** Returns the row of an item. */
  private[read] def rowOf(item: Int): Int = ListOffsets.rowOf(offsets, item)
}

/** Maps, over a vector of structs with a key and a value. */
final private[sparklance] class MapVector(dataType: DataType, entries: LanceColumnVector)
    extends LanceColumnVector(dataType) {
  private var offsets: Array[Int] = _
  protected def look(block: DataBlock): Unit = {
    val maps = block.asInstanceOf[ListBlock]
    offsets = maps.offsets
    entries.show(maps.items)
  }
  override def getMap(row: Int): ColumnarMap =
    if (isNullAt(row)) null
    else new ColumnarMap(getChild(0), getChild(1), offsets(row), offsets(row + 1) - offsets(row))
  override def getChild(ordinal: Int): ColumnVector = entries.getChild(ordinal)

  /** Returns the row of an entry. */
  private[read] def rowOf(entry: Int): Int = ListOffsets.rowOf(offsets, entry)
}

private object ListOffsets {

  /** Linear search, for messages only: offsets after the last row are arbitrary. */
  def rowOf(offsets: Array[Int], item: Int): Int = {
    var row = 0
    while (offsets(row + 1) <= item) row += 1
    row
  }
}
