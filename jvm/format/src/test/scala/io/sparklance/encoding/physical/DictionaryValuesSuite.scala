package io.sparklance.encoding.physical

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data._
import io.sparklance.testkit.Blocks
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

class DictionaryValuesSuite extends AnyFunSuite {
  private val words = Blocks.ofStrings(Seq("zero", "", "two"))

  private def filled(block: DataBlock, values: Int*): DataBlock = {
    values.foreach { value =>
      block match {
        case b: Fixed8Block => b.append(value.toByte)
        case b: Fixed16Block => b.append(value.toShort)
        case b: Fixed32Block => b.append(value)
        case b: Fixed64Block => b.append(value.toLong)
        case b: FixedBytesBlock =>
          java.util.Arrays.fill(b.bytes, b.extend(1) * b.width, b.length * b.width, value.toByte)
        case _: VariableBlock | _: FixedSizeListBlock | _: NestedBlock => fail(s"cannot fill $block")
      }
    }
    block
  }

  private def gatherWords(indices: DataBlock, from: Int, count: Int): Vector[String] = {
    val out = Blocks.ofStrings(Seq("before"))
    DictionaryValues.gather(indices, from, count, words, out)
    Blocks.strings(out)
  }

  for (
    make <- Seq[() => DataBlock](
      () => new Fixed8Block,
      () => new Fixed16Block,
      () => new Fixed32Block,
      () => new Fixed64Block
    )
  ) {
    val name = make().getClass.getSimpleName

    test(s"indices in a $name find their strings") {
      val indices = filled(make(), 9, 2, 0, 1, 2, 9)
      assert(gatherWords(indices, 1, 4) == Vector("before", "two", "zero", "", "two"))
      assert(gatherWords(indices, 1, 0) == Vector("before"))
    }

    test(s"an index beyond the dictionary is refused, the largest unsigned one too: $name") {
      for (bad <- Seq(3, -1)) {
        val e = intercept[LanceFormatException](gatherWords(filled(make(), 0, bad), 0, 2))
        assert(e.getMessage == "an index beyond a dictionary of 3 items")
      }
    }

    test(s"values in a $name are gathered") {
      val out = filled(make(), 9)
      DictionaryValues.gather(Blocks.ofInts(Seq(2, 0, 2)), 0, 3, filled(make(), 10, 20, 30), out)
      assert(out.length == 4 && same(out, filled(make(), 9, 30, 10, 30)))
    }
  }

  private def same(a: DataBlock, b: DataBlock): Boolean = {
    val bits = a.sizeInBytes.toInt / a.length * 8
    Flat.bytes(a, bits, 0, a.length).toArray.sameElements(Flat.bytes(b, bits, 0, b.length).toArray)
  }

  test("an index of 2^32 does not wrap around") {
    val indices = new Fixed64Block
    indices.append(1L << 32)
    assertThrows[LanceFormatException](gatherWords(indices, 0, 1))
  }

  test("values of many bytes are gathered") {
    val out = filled(new FixedBytesBlock(16))
    DictionaryValues.gather(Blocks.ofInts(Seq(1, 0, 1)), 0, 3, filled(new FixedBytesBlock(16), 7, 8), out)
    assert(same(out, filled(new FixedBytesBlock(16), 8, 7, 8)))
  }

  test("strings of every size up to 40 bytes are gathered, at the end of the dictionary too") {
    for (longest <- 0 to 40) {
      val items = (0 to longest).map(size => "abcdefgh" * 5 take size)
      val out = Blocks.ofStrings(Seq("before"))
      DictionaryValues.gather(
        Blocks.ofInts(items.indices.reverse),
        0,
        items.size,
        Blocks.ofStrings(items),
        out
      )
      assert(Blocks.strings(out) == "before" +: items.reverse)
    }
  }

  test("an empty dictionary has nothing at index 0") {
    val e = intercept[LanceFormatException] {
      DictionaryValues.gather(Blocks.ofInts(Seq(0)), 0, 1, new VariableBlock, new VariableBlock)
    }
    assert(e.getMessage == "an index beyond a dictionary of 0 items")
  }

  test("a dictionary of another type than the column is refused") {
    val e = intercept[LanceFormatException] {
      DictionaryValues.gather(Blocks.ofInts(Seq(0)), 0, 1, words, new Fixed32Block)
    }
    assert(e.getMessage == "a dictionary of VariableBlock in a column of Fixed32Block")
  }

  test("a dictionary of lists is refused by name") {
    val lists = DataBlock.forShape(ValueShape.FixedSizeList(2, ValueShape.FixedWidth(32)))
    val e = intercept[UnsupportedLanceFeatureException] {
      DictionaryValues.gather(Blocks.ofInts(Nil), 0, 0, lists, lists)
    }
    assert(e.feature == "a dictionary of fixed-size lists")
  }
}
