package io.sparklance.file

/** The last 16 bytes of a 0.1 file:
  *
  * {{{
  *  0  i64  position of the metadata
  *  8  u16  major version = 0, u16 minor version = 0, 1 or 2
  * 12  "LANC"
  * }}}
  *
  * @param metadata
  *   its position
  */
final private[file] case class LegacyFooter(metadata: Long)

private[file] object LegacyFooter {
  private val Size = 16

  /** Whether the file ends in one. */
  def isAt(tail: FileTail): Boolean = {
    val end = tail.last(8)
    end.int(4) == Footer.Magic && end.unsignedShort(0) == 0 && end.unsignedShort(2) <= 2
  }

  def parse(tail: FileTail): LegacyFooter = LegacyFooter(tail.last(Size).long(0))
}
