package io.sparklance.table.index

import com.google.protobuf.ByteString
import org.roaringbitmap.RoaringBitmap

import io.sparklance.data.Slice
import io.sparklance.table.deletion.RoaringOffsets

/** The fragments that a segment of an index speaks of: a Roaring bitmap of their ids, as in a deletion file. */
final class FragmentBitmap private (bitmap: RoaringBitmap) {

  def contains(fragment: Long): Boolean = FragmentBitmap.fits(fragment) && bitmap.contains(fragment.toInt)

  def intersects(fragments: Set[Long]): Boolean = fragments.exists(contains)

  def without(fragments: Set[Long]): FragmentBitmap = changed(fragments)(_.remove(_))

  def `with`(fragments: Set[Long]): FragmentBitmap = changed(fragments)(_.add(_))

  def encode: ByteString = ByteString.copyFrom(RoaringOffsets.encode(bitmap))

  private def changed(fragments: Set[Long])(change: (RoaringBitmap, Int) => Unit): FragmentBitmap = {
    val copy = bitmap.clone()
    fragments.filter(FragmentBitmap.fits).foreach(id => change(copy, id.toInt))
    new FragmentBitmap(copy)
  }
}

object FragmentBitmap {

  /** @param bytes not empty: that would mean that nothing is known */
  def parse(bytes: ByteString): FragmentBitmap =
    new FragmentBitmap(RoaringOffsets.decode(Slice(bytes.toByteArray)))

  private def fits(fragment: Long): Boolean = fragment >= 0 && fragment <= 0xffffffffL
}
