package io.sparklance.encoding.v20

import io.sparklance.data.{
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBytesBlock,
  FixedSizeListBlock,
  NestedBlock,
  VariableBlock
}
import io.sparklance.encoding.physical.Widths

/** Copies machine words between blocks. */
private[v20] object Words {

  /** Appends the values `[from, from + n)` of `source`. */
  def append(source: DataBlock, from: Int, n: Int, out: DataBlock): Unit = {
    val at = Widths.fixed(out).extend(n)
    (source, out) match {
      case (s: Fixed8Block, o: Fixed8Block) => System.arraycopy(s.values, from, o.values, at, n)
      case (s: Fixed16Block, o: Fixed16Block) => System.arraycopy(s.values, from, o.values, at, n)
      case (s: Fixed32Block, o: Fixed32Block) => System.arraycopy(s.values, from, o.values, at, n)
      case (s: Fixed64Block, o: Fixed64Block) => System.arraycopy(s.values, from, o.values, at, n)
      case _ => Widths.mismatch(s"words of a ${source.getClass.getSimpleName}", out)
    }
  }

  /** Appends the first `n` of `values`, truncated to the width of `out`. */
  def appendNarrowed(values: Array[Long], n: Int, out: DataBlock): Unit = {
    val at = Widths.fixed(out).extend(n)
    var i = 0
    out match {
      case o: Fixed8Block => while (i < n) { o.values(at + i) = values(i).toByte; i += 1 }
      case o: Fixed16Block => while (i < n) { o.values(at + i) = values(i).toShort; i += 1 }
      case o: Fixed32Block => while (i < n) { o.values(at + i) = values(i).toInt; i += 1 }
      case o: Fixed64Block => System.arraycopy(values, 0, o.values, at, n)
      case _: FixedBytesBlock | _: VariableBlock | _: FixedSizeListBlock | _: NestedBlock =>
        Widths.mismatch("words", out)
    }
  }
}
