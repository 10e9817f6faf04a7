package io.sparklance.data

/** Appends ranges of columns to columns of the same shape: all bits of the values, and the nulls. */
private[sparklance] object ColumnCopy extends ColumnCopy

/** Copies columns. Subclasses override `append`, which is called for nested columns, too. */
private[sparklance] class ColumnCopy {

  /** Appends the values `[from, until)`. */
  def append(source: Column, from: Int, until: Int, target: Column): Unit = {
    target.nulls.append(source.nulls, from, until - from)
    append(source.values, from, until, target.values)
  }

  private def append(source: DataBlock, from: Int, until: Int, target: DataBlock): Unit =
    (source, target) match {
      case (s: Fixed8Block, t: Fixed8Block) =>
        val at = t.extend(until - from)
        System.arraycopy(s.values, from, t.values, at, until - from)
      case (s: Fixed16Block, t: Fixed16Block) =>
        val at = t.extend(until - from)
        System.arraycopy(s.values, from, t.values, at, until - from)
      case (s: Fixed32Block, t: Fixed32Block) =>
        val at = t.extend(until - from)
        System.arraycopy(s.values, from, t.values, at, until - from)
      case (s: Fixed64Block, t: Fixed64Block) =>
        val at = t.extend(until - from)
        System.arraycopy(s.values, from, t.values, at, until - from)
      case (s: FixedBytesBlock, t: FixedBytesBlock) if s.width == t.width =>
        val at = t.extend(until - from)
        System.arraycopy(s.bytes, from * s.width, t.bytes, at * s.width, (until - from) * s.width)
      case (s: VariableBlock, t: VariableBlock) => strings(s, from, until, t)
      case (s: FixedSizeListBlock, t: FixedSizeListBlock) if s.dimension == t.dimension =>
        append(s.items, from * s.dimension, until * s.dimension, t.items)
        t.itemNulls.append(s.itemNulls, from * s.dimension, (until - from) * s.dimension)
        t.advance(until - from)
      case (s: StructBlock, t: StructBlock) if s.children.size == t.children.size =>
        s.children.zip(t.children).foreach { case (a, b) => append(a, from, until, b) }
        t.advance(until - from)
      case (s: ListBlock, t: ListBlock) => lists(s, from, until, t)
      case _ =>
        throw new IllegalArgumentException(s"values of a ${source.getClass} for a ${target.getClass}")
    }

  private def strings(source: VariableBlock, from: Int, until: Int, target: VariableBlock): Unit = {
    val start = source.offsets(from)
    val size = source.offsets(until) - start
    target.reserve(until - from, size)
    System.arraycopy(source.bytes, start, target.bytes, target.byteLength, size)
    val shift = target.byteLength - start
    shifted(source.offsets, from, until, shift, target.offsets, target.length)
    target.advance(until - from)
  }

  private def lists(source: ListBlock, from: Int, until: Int, target: ListBlock): Unit = {
    val start = source.offsets(from)
    val shift = target.itemCount - start
    append(source.items, start, source.offsets(until), target.items)
    target.reserve(until - from)
    shifted(source.offsets, from, until, shift, target.offsets, target.length)
    target.advance(until - from)
  }

  /** Returns the ends of the values `[from, until)`, shifted to begin at value `at`. */
  private def shifted(
      source: Array[Int],
      from: Int,
      until: Int,
      shift: Int,
      target: Array[Int],
      at: Int
  ): Unit = {
    var i = from
    while (i < until) {
      target(at + i - from + 1) = source(i + 1) + shift
      i += 1
    }
  }
}
