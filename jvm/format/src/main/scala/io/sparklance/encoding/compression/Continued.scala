package io.sparklance.encoding.compression

import io.sparklance.data.{
  BlockRange,
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBytesBlock,
  FixedSizeListBlock,
  NestedBlock,
  NullMask,
  VariableBlock
}

/** Words whose null slots repeat the value before them (at the start: the first valid one), so that a null in
  * a run of equal values does not divide it. Readers take any value below a null.
  */
private[compression] object Continued {

  def apply(values: DataBlock, nulls: NullMask): DataBlock = {
    val copy = BlockRange.copy(values, 0, values.length)
    val n = values.length
    var first = 0
    while (first < n && nulls.isNull(first)) first += 1
    // The first valid value, for the slots before it; then each slot takes the one before it.
    var from = if (first < n) first else 0
    var i = 0
    copy match {
      case b: Fixed8Block =>
        while (i < n) { if (nulls.isNull(i)) b.values(i) = b.values(from) else from = i; i += 1 }
      case b: Fixed16Block =>
        while (i < n) { if (nulls.isNull(i)) b.values(i) = b.values(from) else from = i; i += 1 }
      case b: Fixed32Block =>
        while (i < n) { if (nulls.isNull(i)) b.values(i) = b.values(from) else from = i; i += 1 }
      case b: Fixed64Block =>
        while (i < n) { if (nulls.isNull(i)) b.values(i) = b.values(from) else from = i; i += 1 }
      case _: FixedBytesBlock | _: VariableBlock | _: FixedSizeListBlock | _: NestedBlock =>
        throw new IllegalArgumentException(s"runs in a ${values.getClass.getSimpleName}")
    }
    copy
  }
}
