package io.sparklance.table.index

import com.google.protobuf.ByteString
import org.roaringbitmap.RoaringBitmap

import io.sparklance.data.Slice
import io.sparklance.table.deletion.RoaringOffsets
import io.sparklance.{LanceFormatException, Location}

/** A set of 32-bit numbers, such as the ids of the fragments that an index segment covers: a Roaring bitmap,
  * as in a deletion file.
  */
final private[sparklance] class RoaringSet private (bitmap: RoaringBitmap) {

  def contains(number: Long): Boolean = RoaringSet.fits(number) && bitmap.contains(number.toInt)

  def intersects(numbers: Set[Long]): Boolean = numbers.exists(contains)

  def without(numbers: Set[Long]): RoaringSet = changed(numbers)(_.remove(_))

  def `with`(numbers: Set[Long]): RoaringSet = changed(numbers)(_.add(_))

  /** The greatest number; -1 if there is none. */
  def last: Long = if (bitmap.isEmpty) -1 else Integer.toUnsignedLong(bitmap.last())

  def encode: ByteString = ByteString.copyFrom(RoaringOffsets.encode(bitmap))

  private def changed(numbers: Set[Long])(change: (RoaringBitmap, Int) => Unit): RoaringSet = {
    val copy = bitmap.clone()
    numbers.filter(RoaringSet.fits).foreach(id => change(copy, id.toInt))
    new RoaringSet(copy)
  }
}

private[sparklance] object RoaringSet {

  def of(numbers: Set[Long]): RoaringSet = new RoaringSet(new RoaringBitmap()).`with`(numbers)

  /** @param bytes not empty, which would mean unknown */
  def parse(bytes: ByteString): RoaringSet = LanceFormatException.locating(Location()) {
    new RoaringSet(RoaringOffsets.decode(Slice(bytes.toByteArray)))
  }

  private def fits(number: Long): Boolean = number >= 0 && number <= 0xffffffffL
}
