package io.sparklance.encoding.physical

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{DataBlock, ValueShape}
import io.sparklance.encoding.physical.DictionaryEncoder.{Encoded, Limits}
import io.sparklance.testkit.Blocks

class DictionaryEncoderSuite extends AnyFunSuite {
  private val random = new Random(9)
  private val wide = Limits(1000, Long.MaxValue)

  private def bytes(n: Int)(value: Int => Seq[Byte]): DataBlock = {
    val block = DataBlock.forShape(ValueShape.FixedWidth(128))
    (0 until n).foreach(i => Blocks.append(block, value(i)))
    block
  }

  private val blocks: Seq[(String, DataBlock)] = Seq(
    "words of 64 bits" -> Blocks.words(64, Seq.fill(3000)(random.nextInt(400).toLong << 40)),
    "16 bytes" -> bytes(3000)(_ => Seq.fill(15)(0.toByte) :+ random.nextInt(100).toByte),
    "strings" -> Blocks.ofStrings(Seq.fill(3000)("x" * random.nextInt(300))),
    "no values" -> Blocks.words(64, Seq.empty)
  )

  for ((name, values) <- blocks) test(s"positions and items of $name make up the values") {
    val Encoded(positions, items) = DictionaryEncoder.encode(values, wide).get
    assert(Blocks.values(items) == Blocks.values(values).distinct)
    val out = DataBlock.forShape(shapeOf(name))
    DictionaryValues.gather(positions, 0, positions.length, items, out)
    assert(Blocks.values(out) == Blocks.values(values))
  }

  private def shapeOf(name: String): ValueShape = name match {
    case "16 bytes" => ValueShape.FixedWidth(128)
    case "strings" => ValueShape.VariableWidth(32)
    case _ => ValueShape.FixedWidth(64)
  }

  test("as many items as are allowed are found, and no more") {
    val hundred = Blocks.words(64, (0L until 1000L).map(_ % 100))
    assert(DictionaryEncoder.encode(hundred, Limits(100, Long.MaxValue)).isDefined)
    assert(DictionaryEncoder.encode(hundred, Limits(99, Long.MaxValue)).isEmpty)
    assert(DictionaryEncoder.encode(hundred, Limits(100, 800)).isDefined)
    assert(DictionaryEncoder.encode(hundred, Limits(100, 799)).isEmpty)
    assert(DictionaryEncoder.encode(hundred, Limits(0, 800)).isEmpty)
  }

  test("a sample tells about how many distinct values there are") {
    for (n <- Seq(1, 10, 1000, 20000)) {
      val values = Blocks.words(64, Seq.fill(200000)(random.nextInt(n).toLong))
      val estimate = DictionaryEncoder.estimate(values)
      assert(estimate >= n * 0.8 && estimate <= n * 1.25, s"$estimate of $n")
    }
    assert(DictionaryEncoder.estimate(Blocks.words(64, 0L until 100000L)) == 100000)
    assert(DictionaryEncoder.estimate(Blocks.words(64, Seq(1L, 2L, 1L))) == 2)
    assert(DictionaryEncoder.estimate(Blocks.ofStrings(Seq("a", "b", "a"))) == 2)
  }
}
