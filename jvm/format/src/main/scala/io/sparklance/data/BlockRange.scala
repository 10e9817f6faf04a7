package io.sparklance.data

/** Copies ranges of blocks. */
private[sparklance] object BlockRange {

  /** Copies the values `[from, until)` of a block of leaves, or of packed structs. */
  def copy(values: DataBlock, from: Int, until: Int): DataBlock = values match {
    case block: Fixed8Block =>
      words(new Fixed8Block, until - from)(b => System.arraycopy(block.values, from, b.values, 0, _))
    case block: Fixed16Block =>
      words(new Fixed16Block, until - from)(b => System.arraycopy(block.values, from, b.values, 0, _))
    case block: Fixed32Block =>
      words(new Fixed32Block, until - from)(b => System.arraycopy(block.values, from, b.values, 0, _))
    case block: Fixed64Block =>
      words(new Fixed64Block, until - from)(b => System.arraycopy(block.values, from, b.values, 0, _))
    case block: FixedBytesBlock =>
      val width = block.width
      words(new FixedBytesBlock(width), until - from)(b =>
        n =>
          System.arraycopy(block.bytes, from * width, b.bytes, 0, n * width)
      )
    case block: VariableBlock => strings(block, from, until)
    case block: FixedSizeListBlock => lists(block, from, until)
    case block: StructBlock => structs(block, from, until)
    case _: ListBlock => throw new IllegalArgumentException("lists are written leaf by leaf")
  }

  private def words[B <: FixedBlock](block: B, count: Int)(fill: B => Int => Unit): B = {
    block.extend(count)
    fill(block)(count)
    block
  }

  private def strings(block: VariableBlock, from: Int, until: Int): VariableBlock = {
    val start = block.offsets(from)
    val size = block.offsets(until) - start
    val copy = new VariableBlock
    copy.reserve(until - from, size)
    System.arraycopy(block.bytes, start, copy.bytes, 0, size)
    var i = from
    while (i < until) { copy.offsets(i - from + 1) = block.offsets(i + 1) - start; i += 1 }
    copy.advance(until - from)
    copy
  }

  private def lists(block: FixedSizeListBlock, from: Int, until: Int): FixedSizeListBlock = {
    val (first, end) = (from * block.dimension, until * block.dimension)
    val list = new FixedSizeListBlock(block.dimension, copy(block.items, first, end))
    if (block.itemNulls.hasNulls) (first until end).foreach(i =>
      if (block.itemNulls.isNull(i)) list.itemNulls.appendNull(1) else list.itemNulls.appendValid(1)
    )
    list.advance(until - from)
    list
  }

  /** Copies packed structs, whose fields are null only below null structs. */
  private def structs(block: StructBlock, from: Int, until: Int): StructBlock = {
    val copied = block.children.map { child =>
      val column = new Column(copy(child.values, from, until))
      column.nulls.appendValid(until - from)
      column
    }
    val struct = new StructBlock(copied)
    struct.advance(until - from)
    struct
  }
}
