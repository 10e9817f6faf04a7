package io.sparklance.index.bloom

import java.nio.charset.StandardCharsets.UTF_8

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceFormatException
import io.sparklance.data.Slice
import io.sparklance.testkit.Hex

class BlockBloomFilterSuite extends AnyFunSuite {

  private def hash(text: String): Long = XxHash64.hash(text.getBytes(UTF_8))

  test("hashes of the reference") {
    assert(hash("") === 0xef46db3751d8e999L)
    assert(hash("a") === 0xd24ec4f1a98c6e5bL)
    assert(hash("key031") === 0x9aabc1d750779a06L)
    assert(XxHash64.hash(Hex.slice("2c000000").toArray) === 0x49d29ee495621f3eL)
    assert(XxHash64.hash(Hex.slice("9600000000000000").toArray) === 0xb0fca7513038bb11L)
    assert(hash("0123456789012345678901234567890123456789") === 0xca6fc80cbde1a931L)
  }

  test("a block of the reference") {
    val block = "00004000 00000080 00010000 00000020 00040000 00400000 00008000 40000000"
    val bytes = new Array[Byte](32768)
    Hex.slice(block).toArray.copyToArray(bytes, 618 * 32)
    assert(BlockBloomFilter.mayContain(Slice(bytes), hash("key031")))
    assert(!BlockBloomFilter.mayContain(Slice(bytes), hash("key032")))
  }

  test("filters that are not whole blocks are refused") {
    Seq(0, 31, 33).foreach { size =>
      intercept[LanceFormatException](BlockBloomFilter.mayContain(Slice(new Array[Byte](size)), 1))
    }
  }
}
