package io.sparklance.dataset.grouping

import scala.collection.mutable
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.VariableBlock
import io.sparklance.testkit.Blocks

/** Numbers of longs and of byte strings, in the order of their first appearance. */
class NumberingSuite extends AnyFunSuite {
  import NumberingSuite._

  test("longs have the numbers of their first appearance, over many batches, and after they are forgotten") {
    val random = new Random(1)
    val numbering = new LongNumbering
    for (round <- 0 until 6) {
      val model = new Model[Long]
      for (_ <- 0 until 40) {
        val values = Array.fill(random.nextInt(3000))(long(random, round))
        val out = new Array[Int](values.length)
        numbering.number(values, values.length, out)
        assert(out.toSeq == values.toSeq.map(model.of))
      }
      assert(numbering.size == model.size && model.all.zipWithIndex.forall { case (value, i) =>
        numbering.value(i) == value
      })
      // The table keeps its size, or shrinks.
      numbering.clear(if (round % 2 == 0) 10 else 1 << 18)
      assert(numbering.size == 0)
    }
  }

  test("nulls among longs have no number") {
    val random = new Random(2)
    val numbering = new LongNumbering
    val model = new Model[Long]
    for (share <- Seq(0.0, 0.3, 1.0, 0.9)) {
      val values = Array.fill(5000)(random.nextInt(3000).toLong)
      val nulls = Array.fill(5000)(random.nextDouble() < share)
      val out = new Array[Int](5000)
      numbering.numberValid(values, nulls, 5000, out)
      assert(out.toSeq == values.toSeq.zip(nulls).map { case (v, isNull) => if (isNull) -1 else model.of(v) })
    }
    assert(numbering.size == model.size)
  }

  test("longs with the same slot get different numbers") {
    // Products with these have few different upper bits, because the factor is odd and has an inverse.
    val inverse = BigInt(Factor).modInverse(BigInt(1) << 64)
    val values = Array.tabulate(6000)(i => (inverse * i).toLong)
    assert(values.map(v => v * Factor >>> 40).distinct.length == 1)
    val numbering = new LongNumbering
    for (_ <- 0 until 2) {
      val out = new Array[Int](values.length)
      numbering.number(values, values.length, out)
      assert(out.toSeq == values.indices)
    }
    numbering.number(Array.empty[Long], 0, Array.empty[Int])
    assert(numbering.size == values.length)
  }

  test("byte strings have the numbers of their first appearance, over many batches") {
    val random = new Random(3)
    val numbering = new BytesNumbering
    for (round <- 0 until 5) {
      val model = new Model[String]
      for (batch <- 0 until 30) {
        val texts = Vector.fill(random.nextInt(2000))(text(random, round))
        val nulls = Option.when(batch % 2 == 1)(Array.fill(texts.size)(random.nextInt(4) == 0)).orNull
        val out = new Array[Int](texts.size)
        numbering.number(Blocks.ofStrings(texts), nulls, texts.size, out)
        val expected = texts.indices.map(i => if (nulls != null && nulls(i)) -1 else model.of(texts(i)))
        assert(out.toSeq == expected)
      }
      val found = new VariableBlock
      (0 until numbering.size).foreach(numbering.append(_, found))
      assert(Blocks.strings(found) == model.all)
      assert(numbering.sizeInBytes >= model.all.map(_.length.toLong).sum)
      numbering.clear(if (round % 2 == 0) 10 else 1 << 18)
      assert(numbering.size == 0 && numbering.sizeInBytes == 0)
    }
  }

  test("byte strings that differ in length or in one byte get different numbers") {
    val zeros = Vector.tabulate(40)(n => Vector.fill(n)(0.toByte))
    val others = for (length <- Vector(1, 7, 8, 9, 16, 31); at <- 0 until length; byte <- Seq(1, -128, -1))
      yield Vector.fill(length)(0.toByte).updated(at, byte.toByte)
    val all = zeros ++ others
    val block = new VariableBlock
    (all ++ all.reverse).foreach(Blocks.append(block, _))
    val numbering = new BytesNumbering
    val out = new Array[Int](2 * all.size)
    numbering.number(block, null, out.length, out)
    assert(all.distinct.size == all.size && out.toSeq == all.indices ++ all.indices.reverse)
  }
}

private object NumberingSuite {
  private val Factor = 0x9e3779b97f4a7c15L

  /** Numbers values as they come. */
  final private class Model[A] {
    private val numbers = mutable.LinkedHashMap.empty[A, Int]
    def of(value: A): Int = numbers.getOrElseUpdate(value, numbers.size)
    def size: Int = numbers.size
    def all: Vector[A] = numbers.keysIterator.toVector
  }

  private def long(random: Random, kind: Int): Long = kind match {
    case 0 => random.nextInt(10).toLong
    case 1 => random.nextLong()
    case 2 => random.nextInt(100000).toLong << 40
    case 3 => -random.nextInt(20000).toLong
    case 4 =>
      if (random.nextBoolean()) Long.MinValue + random.nextInt(3) else Long.MaxValue - random.nextInt(3)
    case _ => random.nextInt(4).toLong << 62 | random.nextInt(1000)
  }

  private def text(random: Random, kind: Int): String = kind match {
    case 0 => random.nextInt(5).toString * random.nextInt(3)
    case 1 => s"a prefix that all have ${random.nextInt(30000)}"
    case 2 => "x" * random.nextInt(300)
    case 3 => "é" * random.nextInt(12) + random.nextInt(300)
    case _ => s"${"long " * 100}${random.nextInt(5000)}"
  }
}
