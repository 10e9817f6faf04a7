package io.sparklance.index.build

import java.util.Arrays

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

class KeyBufferSuite extends AnyFunSuite {
  private val random = new Random(7)

  private def sorted[K <: AnyRef](buffer: KeyBuffer[K], rows: Seq[(K, Long)]): Vector[(Option[K], Long)] = {
    rows.foreach { case (key, id) => buffer.add(key, id) }
    buffer.sort(withIds = true)
    val out = Vector.newBuilder[(Option[K], Long)]
    buffer.foreach((key, id) => out += key -> id)
    out.result()
  }

  private def strings(count: Int, alphabet: String, longest: Int): Seq[(Array[Byte], Long)] =
    Seq.tabulate(count) { i =>
      val text = Array.fill(random.nextInt(longest + 1))(alphabet(random.nextInt(alphabet.length)).toByte)
      (if (random.nextInt(9) == 0) null else text, (count - i).toLong)
    }

  private def compare(a: (Array[Byte], Long), b: (Array[Byte], Long)): Int = {
    val keys =
      if (a._1 == null || b._1 == null) java.lang.Boolean.compare(a._1 != null, b._1 != null)
      else Arrays.compareUnsigned(a._1, b._1)
    if (keys != 0) keys else java.lang.Long.compare(a._2, b._2)
  }

  test("numbers are sorted with their rows, nulls first") {
    Seq(3, 200, 5000).foreach { count =>
      val rows = Seq.tabulate(count) { i =>
        val key = if (random.nextInt(5) == 0) null else Long.box(random.nextLong() >> random.nextInt(64))
        (key, (count - i).toLong)
      }
      val expected = rows.sortBy { case (key, id) => (key != null, Option(key).fold(0L)(_.longValue), id) }
      assert(sorted(KeyBuffer.ofNumbers, rows) == expected.map { case (key, id) => Option(key) -> id })
    }
  }

  test("byte strings are sorted unsigned, also with common beginnings, zero bytes and equal ones") {
    Seq((40, "ab", 3), (3000, "\u0000a\u00ff", 12), (3000, "x", 40), (2000, "abcdefgh", 30)).foreach {
      case (count, alphabet, longest) =>
        val rows = strings(count, alphabet, longest)
        val expected = rows.sortWith(compare(_, _) < 0)
        val found = sorted(KeyBuffer.ofBytes, rows)
        assert(found.map(_._2) == expected.map(_._2))
        assert(found.map(_._1.map(_.toVector)) == expected.map(row => Option(row._1).map(_.toVector)))
    }
  }

  test("encoded rows are those of both buffers") {
    val buffer = KeyBuffer.ofBytes
    strings(100, "ab", 5).foreach { case (key, id) => buffer.add(key, id) }
    val size = buffer.sizeInBytes
    val bytes = buffer.drain()
    assert(buffer.isEmpty && bytes.length == size + 8)
    buffer.add("z".getBytes, 1000)
    buffer.addEncoded(bytes)
    buffer.sort(withIds = false)
    var rows = 0
    buffer.foreach((_, _) => rows += 1)
    assert(rows == 101 && buffer.sizeInBytes == size + 8 + 4 + 1)
  }

  test("bounds divide equal keys by their rows, and put null first") {
    val keys = NumberIndexKeys(NumberForm.Signed)
    val sample = Vector.tabulate(100)(i => (if (i < 50) null else Long.box(7L)) -> i.toLong)
    val bounds = KeyBounds.of(keys, sample, ranges = 4)
    assert(bounds.ranges == 4)
    assert(Seq(0L, 24L, 25L, 49L).map(bounds.rangeOf(null, _)) == Seq(0, 0, 1, 1))
    assert(Seq(0L, 74L, 75L, 99L).map(bounds.rangeOf(Long.box(7L), _)) == Seq(1, 2, 3, 3))
    assert(KeyBounds.of(keys, Vector.empty, ranges = 4).ranges == 1)
  }
}
