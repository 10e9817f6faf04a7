package io.sparklance.testkit

import java.util.HexFormat

import io.sparklance.data.Slice

object Hex {

  /** Blanks may set groups apart. */
  def slice(text: String): Slice = Slice(HexFormat.of().parseHex(text.filterNot(_.isWhitespace)))

  def of(slice: Slice): String = HexFormat.of().formatHex(slice.toArray)
}
