package io.sparklance.index.text.build

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.Slice
import io.sparklance.index.text.{Bm25, PostingDecoder, PostingForm, Postings}

class PostingBlocksSuite extends AnyFunSuite {
  private def hex(bytes: Bytes): String = bytes.array.take(bytes.size).map(byte => f"$byte%02x").mkString

  private def block(size: Int, documents: Array[Int], frequencies: Array[Int], score: Float = 0): Bytes = {
    val out = new Bytes
    new PostingBlocks(size).encode(documents, frequencies, 0, documents.length, score, out)
    out
  }

  test("blocks are those that pylance wrote") {
    val score = java.lang.Float.intBitsToFloat(0x3f39e53f)
    assert(hex(block(128, Array(0, 1, 3), Array(1, 1, 1), score)) == "3fe5393f000102010101")
    assert(hex(block(128, Array(0, 1, 4), Array(1, 1, 3), 0f)) == "00000000000103010103")
    val repeated = (0 until 32).flatMap(i => Vector(0, 1, 3, 6).map(8 * i + _)).toArray
    assert(hex(block(128, repeated, Array.fill(128)(1), score)).startsWith("3fe5393f00000000" + "02"))
  }

  test("impacts are those that pylance wrote") {
    def impacts(lengths: Array[Int], documents: Array[Int], frequencies: Array[Int]) = {
      val (out, impacts) = (new Bytes, new Impacts(lengths.map(Bm25.code(_).toByte)))
      impacts.add(documents, frequencies, 0, documents.length)
      impacts.drain(documents.last, out)
      val first = hex(out)
      impacts.add(documents, frequencies, 0, documents.length)
      out.clear()
      impacts.drain(documents.last, out)
      assert(hex(out) == first, "a second time")
      first
    }
    val lengths = Array(6, 4, 4, 4, 4, 5)
    assert(impacts(lengths, Array(0, 1, 3), Array(1, 1, 1)) == "03010104")
    assert(impacts(lengths, Array(0, 1, 4), Array(1, 1, 3)) == "04010504")
    // Frequency 1 in a document of length 3, 2 in one of 4: a step of one has no byte.
    assert(impacts(Array(3, 4, 9), Array(0, 1, 2), Array(1, 2, 2)) == "0202" + "0103" + "00")
  }

  test("lengths keep their order and their lower ends in codes") {
    (0 until 5000).foreach { length =>
      assert(Bm25.length(Bm25.code(length)) == Bm25.rounded(length), length)
      assert(Bm25.code(length) <= Bm25.code(length + 1), length)
    }
    assert(Bm25.length(Bm25.code(Int.MaxValue)) == Bm25.rounded(Int.MaxValue))
  }

  test("positions are those that pylance wrote") {
    val out = new Bytes
    new PostingBlocks(128).positions(Array(1, 1, 3), 0, 3, Array(8, 3, 0, 1, 2), 0, out)
    assert(hex(out) == "0803000101")
  }

  test("lists of any length, gaps and frequencies come back with their positions") {
    val random = new Random(2)
    val lengths = Vector(1, 2, 127, 128, 129, 255, 256, 257, 400, 1000)
    for (size <- Vector(128, 256); length <- lengths; _ <- 0 until 6) {
      val gap = 1 << random.nextInt(20)
      val documents = Iterator.iterate(random.nextInt(gap))(_ + 1 + random.nextInt(gap)).take(length).toArray
      val most = 1 << random.nextInt(4)
      val frequencies =
        Array.fill(length)(if (random.nextInt(40) == 0) 1 + random.nextInt(300) else 1 + random.nextInt(most))
      val places = frequencies.flatMap(count =>
        Iterator.iterate(random.nextInt(50))(_ + random.nextInt(1 << random.nextInt(12))).take(count)
      )
      check(size, documents, frequencies, places)
    }
  }

  test("frequencies beyond the bits of a block are exceptions") {
    val documents = Array.range(0, 256)
    for (count <- Vector(0, 1, 31, 32, 256); value <- Vector(2, 255, 1 << 20, Int.MaxValue)) {
      val frequencies = Array.tabulate(256)(i => if (i < count) value else 1)
      val bytes = block(256, documents, frequencies)
      assert(found(256, documents, bytes).frequencies.toSeq == frequencies.toSeq, s"$count of $value")
      if (count == 1) assert(bytes.size < 80)
    }
  }

  private def form(size: Int) = PostingForm(size, isVarint = true, packsPositions = true)

  private def found(size: Int, documents: Array[Int], blocks: Bytes*): Postings =
    new PostingDecoder(form(size)).postings(documents.length, documents.last + 1, i => slice(blocks(i)))

  private def slice(bytes: Bytes): Slice = Slice(bytes.array, 0, bytes.size)

  private def check(size: Int, documents: Array[Int], frequencies: Array[Int], places: Array[Int]) = {
    val starts = frequencies.scanLeft(0)(_ + _)
    val parts = documents.indices.by(size).map { from =>
      val count = math.min(size, documents.length - from)
      val (blocks, positions, own) = (new PostingBlocks(size), new Bytes, new Bytes)
      blocks.encode(documents, frequencies, from, count, 0f, own)
      blocks.positions(frequencies, from, count, places, starts(from), positions)
      (own, positions)
    }
    val list = found(size, documents, parts.map(_._1): _*)
    assert(list.documents.toSeq == documents.toSeq && list.frequencies.toSeq == frequencies.toSeq)
    val all = new PostingDecoder(form(size)).places(list, i => slice(parts(i)._2))
    assert(all.values.toSeq == places.toSeq && all.starts.toSeq == starts.toSeq)
  }
}
