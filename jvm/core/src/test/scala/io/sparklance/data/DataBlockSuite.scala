package io.sparklance.data

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class DataBlockSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  /** A block of every kind that holds the values 0 until n, and how to read one back. */
  private def filled(n: Int): Seq[(DataBlock, Int => Int)] = {
    val bytes = new Fixed8Block
    val shorts = new Fixed16Block
    val ints = new Fixed32Block
    val longs = new Fixed64Block
    val wide = new FixedBytesBlock(16)
    val strings = new VariableBlock
    val lists = new FixedSizeListBlock(3, new Fixed32Block)
    for (i <- 0 until n) {
      bytes.append(i.toByte)
      shorts.append(i.toShort)
      ints.append(i)
      longs.append(i.toLong)
      val at = wide.extend(1)
      LittleEndian.putInt(wide.bytes, at * 16, i)
      val text = i.toString.getBytes
      strings.append(text, 0, text.length)
      for (j <- 0 until 3) lists.items.asInstanceOf[Fixed32Block].append(i * 3 + j)
      if (i % 5 == 0) lists.itemNulls.padTo(i * 3)
      if (i % 5 == 0) lists.itemNulls.appendNull(1)
      lists.advance(1)
    }
    def listValue(i: Int): Int = {
      val value = lists.items.asInstanceOf[Fixed32Block].values(i * 3) / 3
      assert(lists.itemNulls.isNull(i * 3) === (value % 5 == 0))
      assert(!lists.itemNulls.isNull(i * 3 + 1))
      value
    }
    Seq(
      bytes -> (i => bytes.values(i).toInt),
      shorts -> (i => shorts.values(i).toInt),
      ints -> (i => ints.values(i)),
      longs -> (i => longs.values(i).toInt),
      wide -> (i => LittleEndian.int(wide.bytes, i * 16)),
      strings ->
        (i =>
          new String(strings.bytes, strings.offsets(i), strings.offsets(i + 1) - strings.offsets(i)).toInt
        ),
      lists -> listValue
    )
  }

  private def values(block: DataBlock, read: Int => Int): Seq[Int] = (0 until block.length).map(read)

  test("appended values come back, over several growths") {
    for ((block, read) <- filled(100)) assert(values(block, read) === (0 until 100))
  }

  test("discardHead keeps the tail and appends go behind it") {
    for (n <- Seq(0, 1, 50, 99, 100); (block, read) <- filled(100)) {
      block.discardHead(n)
      assert(values(block, read) === (n until 100))
    }
  }

  test("truncate keeps the head") {
    for ((block, read) <- filled(100)) {
      block.truncate(7)
      assert(values(block, read) === (0 until 7))
      block.clear()
      assert(block.length === 0)
    }
  }

  test("retain keeps exactly the chosen values of the head, and all of the tail") {
    forAll(Gen.someOf(0 until 70)) { chosen =>
      val positions = chosen.sorted.toArray
      for ((block, read) <- filled(100)) {
        block.retain(positions, positions.length, 70)
        assert(values(block, read) === positions.toSeq ++ (70 until 100))
      }
    }
  }

  test("blocks have the shape they are made for") {
    import ValueShape._
    assert(DataBlock.forShape(FixedWidth(1)).isInstanceOf[Fixed8Block])
    assert(DataBlock.forShape(FixedWidth(64)).isInstanceOf[Fixed64Block])
    assert(DataBlock.forShape(FixedWidth(256)).asInstanceOf[FixedBytesBlock].width === 32)
    assert(DataBlock.forShape(VariableWidth(64)).isInstanceOf[VariableBlock])
    val nested = DataBlock.forShape(FixedSizeList(4, FixedSizeList(2, FixedWidth(32))))
    assert(nested.asInstanceOf[FixedSizeListBlock].dimension === 4)
  }
}
