package io.sparklance.table.index

import com.google.protobuf.ByteString
import org.roaringbitmap.RoaringBitmap
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceFormatException

class RoaringSetSuite extends AnyFunSuite {

  test("fragments are added and taken away; the bytes are those of a bitmap") {
    val bitmap = RoaringSet.parse(ByteString.copyFrom(RoaringSetSuite.bytes(1, 5, 70000)))
    assert(Seq(1L, 5L, 70000L).forall(bitmap.contains) && !bitmap.contains(2) && !bitmap.contains(1L << 32))
    val changed = RoaringSet.parse(bitmap.without(Set(5, 9)).`with`(Set(6)).encode)
    assert((0L to 70001L).filter(changed.contains) == Seq(1L, 6L, 70000L))
    assert(bitmap.contains(5) && bitmap.intersects(Set(4, 5)) && !bitmap.intersects(Set(4)))
  }

  test("bytes that are no bitmap, or not all of one, are bad data") {
    val whole = RoaringSetSuite.bytes(1, 5, 70000)
    (Array[Byte](1, 2, 3, 4) +: whole.indices.map(whole.take)).foreach { bytes =>
      intercept[LanceFormatException](RoaringSet.parse(ByteString.copyFrom(bytes)))
    }
  }
}

object RoaringSetSuite {

  def bytes(fragments: Int*): Array[Byte] = {
    val bitmap = RoaringBitmap.bitmapOf(fragments: _*)
    val buffer = java.nio.ByteBuffer.allocate(bitmap.serializedSizeInBytes)
    bitmap.serialize(buffer)
    buffer.array
  }
}
