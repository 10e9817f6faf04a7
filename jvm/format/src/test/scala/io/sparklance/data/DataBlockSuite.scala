package io.sparklance.data

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.testkit.Blocks

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
    val structs = new StructBlock(Vector(new Column(new Fixed32Block), new Column(new VariableBlock)))
    val varying = new ListBlock(new Column(new Fixed32Block))
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
      structs.children(0).values.asInstanceOf[Fixed32Block].append(i)
      structs.children(0).nulls.appendValid(1)
      if (i % 3 == 0) structs.children(1).appendNulls(1)
      else {
        structs.children(1).values.asInstanceOf[VariableBlock].append(text, 0, text.length)
        structs.children(1).nulls.appendValid(1)
      }
      structs.advance(1)
      varying.items.values.asInstanceOf[Fixed32Block].append(i)
      varying.items.nulls.appendValid(1)
      varying.items.appendNulls(i % 4)
      varying.endList()
    }
    def listValue(i: Int): Int = {
      val value = lists.items.asInstanceOf[Fixed32Block].values(i * 3) / 3
      assert(lists.itemNulls.isNull(i * 3) === (value % 5 == 0))
      assert(!lists.itemNulls.isNull(i * 3 + 1))
      value
    }
    def structValue(i: Int): Int = {
      val value = structs.children(0).values.asInstanceOf[Fixed32Block].values(i)
      assert(Blocks.rows(structs.children(1))(i) ===
        Option.when(value % 3 != 0)(value.toString.getBytes.toVector))
      value
    }
    def listItems(i: Int): Int = {
      val items = Blocks.rows(varying.items).slice(varying.offsets(i), varying.offsets(i + 1))
      val value = items.head.map(_.asInstanceOf[Long].toInt).getOrElse(fail(s"list $i starts with a null"))
      assert(items.tail === Seq.fill(value % 4)(None))
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
      lists -> listValue,
      structs -> structValue,
      varying -> listItems
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

  test("zeroing the null lists removes their items") {
    val lists = new ListBlock(new Column(new Fixed32Block))
    for (row <- Seq(Seq(1, 2), Seq(3), Seq.empty, Seq(4, 5)))
      Blocks.append(lists, row.map(i => Some(i.toLong)))
    lists.zeroNulls(Array(false, true, true, false))
    assert(Blocks.values(lists) ===
      Seq(Seq(1, 2), Seq.empty, Seq.empty, Seq(4, 5)).map(_.map(i => Some(i.toLong))))
    assert(lists.itemCount === 4)
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

  test("a block of wide values takes no memory before it has one") {
    assert(new FixedBytesBlock(1 << 28).bytes.isEmpty)
    val block = new FixedBytesBlock(100)
    assert(block.extend(3) == 0 && block.bytes.length >= 300)
  }
}
