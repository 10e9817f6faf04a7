package io.sparklance.dataset.snapshot

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.data.RowRange

/** Row addresses: the fragment's id in the upper 32 bits, and the row's position in the fragment, counting
  * deleted rows, in the lower.
  */
private[sparklance] object RowAddress {
  final val OffsetBits = 32

  def of(fragmentId: Long, offset: Long): Long = first(fragmentId) | offset

  /** The address that the first row of a fragment has. */
  def first(fragmentId: Long): Long =
    if (fragmentId >= 0 && fragmentId <= Int.MaxValue) fragmentId << OffsetBits
    else
      throw new UnsupportedLanceFeatureException(
        s"a fragment with the number ${java.lang.Long.toUnsignedString(fragmentId)}"
      )

  /** The id of the fragment in which a row is. */
  def fragment(address: Long): Long = address >>> OffsetBits

  /** Returns a row's position in its fragment. */
  def offset(address: Long): Long = address & 0xffffffffL

  /** All addresses of a fragment's rows. */
  def ofFragment(fragmentId: Long, rows: Long): RowRange =
    RowRange(first(fragmentId), first(fragmentId) + rows)

  /** All addresses of the rows of some fragments, of which there may be fewer. */
  def ofFragments(ids: RowRange): RowRange = {
    def clamped(id: Long): Long = if (id > Int.MaxValue) Long.MaxValue else first(id)
    RowRange(clamped(ids.start), clamped(ids.end))
  }
}
