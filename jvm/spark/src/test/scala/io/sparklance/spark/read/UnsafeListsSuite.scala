package io.sparklance.spark.read

import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedSizeListBlock,
  ValueShape
}

/** Lists as Spark's rows have them hold what was stored. */
final class UnsafeListsSuite extends AnyFunSuite {
  private val kinds = Seq(8 -> ByteType, 16 -> ShortType, 32 -> IntegerType, 64 -> LongType)

  for ((bits, kind) <- kinds; dimension <- Seq(1, 63, 64, 65, 130))
    test(s"lists of $dimension numbers of $bits bits") {
      val lists = new FixedSizeListBlock(dimension, DataBlock.forShape(ValueShape.FixedWidth(bits)))
      for (i <- 0 until 3 * dimension) append(lists.items, i % 100)
      lists.advance(3)
      val unsafe = new UnsafeLists(dimension)
      for (row <- Seq(0, 2, 1)) {
        val list = unsafe.at(lists, row)
        assert(list.numElements == dimension)
        assert((0 until dimension).forall(i => !list.isNullAt(i)))
        val expected = (0 until dimension).map(i => (row * dimension + i) % 100)
        assert((0 until dimension).map(i => list.get(i, kind).toString.toInt) == expected)
      }
    }

  test("null items are zeroes, whatever is stored there") {
    val lists = new FixedSizeListBlock(70, new Fixed32Block)
    for (i <- 0 until 140) append(lists.items, 7 + i)
    lists.itemNulls.appendValid(70)
    lists.itemNulls.appendNull(1)
    lists.itemNulls.appendValid(68)
    lists.itemNulls.appendNull(1)
    lists.advance(2)
    val unsafe = new UnsafeLists(70)
    val list = unsafe.at(lists, 1)
    assert((0 until 70).filter(list.isNullAt) == Seq(0, 69))
    assert(list.getInt(0) == 0 && list.getInt(69) == 0 && list.getInt(1) == 78)
    assert((0 until 70).forall(i => !unsafe.at(lists, 0).isNullAt(i)))
  }

  private def append(items: DataBlock, value: Int): Unit = items match {
    case b: Fixed8Block => b.append(value.toByte)
    case b: Fixed16Block => b.append(value.toShort)
    case b: Fixed32Block => b.append(value)
    case b: Fixed64Block => b.append(value.toLong)
    case other => fail(s"$other")
  }
}
