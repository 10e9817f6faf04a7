package io.sparklance.data

/** Appends chosen values of columns to columns of the same shape. */
private[sparklance] object ColumnGather {

  /** Appends the values at `first + positions(i)`, for i from 0 to `count`; the positions ascend. */
  def append(source: Column, first: Int, positions: Array[Int], count: Int, target: Column): Unit =
    source.values match {
      case _: FixedBytesBlock | _: VariableBlock | _: FixedSizeListBlock | _: ListBlock =>
        runs(source, 1, first, positions, count, target)
      case _: FixedBlock | _: StructBlock =>
        target.nulls.gather(source.nulls, first, positions, count)
        values(source.values, first, positions, count, target.values)
    }

  private def values(
      source: DataBlock,
      first: Int,
      positions: Array[Int],
      count: Int,
      target: DataBlock
  ): Unit = (source, target) match {
    case (s: Fixed8Block, t: Fixed8Block) =>
      val at = t.extend(count)
      val (from, to) = (s.values, t.values)
      var i = 0
      while (i < count) { to(at + i) = from(first + positions(i)); i += 1 }
    case (s: Fixed16Block, t: Fixed16Block) =>
      val at = t.extend(count)
      val (from, to) = (s.values, t.values)
      var i = 0
      while (i < count) { to(at + i) = from(first + positions(i)); i += 1 }
    case (s: Fixed32Block, t: Fixed32Block) =>
      val at = t.extend(count)
      val (from, to) = (s.values, t.values)
      var i = 0
      while (i < count) { to(at + i) = from(first + positions(i)); i += 1 }
    case (s: Fixed64Block, t: Fixed64Block) =>
      val at = t.extend(count)
      val (from, to) = (s.values, t.values)
      var i = 0
      while (i < count) { to(at + i) = from(first + positions(i)); i += 1 }
    case (s: StructBlock, t: StructBlock) if s.children.size == t.children.size =>
      s.children.zip(t.children).foreach { case (a, b) => append(a, first, positions, count, b) }
      t.advance(count)
    case _ =>
      throw new IllegalArgumentException(s"values of a ${source.getClass} for a ${target.getClass}")
  }

  /** Appends `stride` values for each position, those of neighbours together. */
  def runs(
      source: Column,
      stride: Int,
      first: Int,
      positions: Array[Int],
      count: Int,
      target: Column
  ): Unit = {
    var i = 0
    while (i < count) {
      var end = i + 1
      while (end < count && positions(end) == positions(end - 1) + 1) end += 1
      ColumnCopy.append(
        source,
        (first + positions(i)) * stride,
        (first + positions(end - 1) + 1) * stride,
        target
      )
      i = end
    }
  }
}
