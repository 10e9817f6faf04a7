package io.sparklance.index.build

import java.nio.charset.StandardCharsets.UTF_8

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{Fixed16Block, Fixed32Block, Fixed64Block, FixedBytesBlock, VariableBlock}
import io.sparklance.schema.LogicalType

/** Bytes and numbers that pylance 14.0.2 wrote. */
class IndexEncodingsSuite extends AnyFunSuite {
  private def hex(bytes: Array[Byte]): String = bytes.map(byte => f"$byte%02x").mkString

  test("row sets are a Roaring bitmap for each upper half") {
    val rows = new Postings
    (0 to 11).foreach(i => rows.add(9L * i))
    assert(hex(rows.encode) == "010000000000000028000000" + "3a3000000100000000000b0010000000" +
      "0000090012001b0024002d0036003f00480051005a006300")
    assert(hex((new Postings).encode) == "00000000")
    val both = new Postings
    both.add((3L << 32) + 5)
    both.addEncoded(rows.encode)
    both.addEncoded(rows.encode)
    assert(hex(both.encode).startsWith("0200000000000000" + "28000000") && hex(both.encode).endsWith("0500"))
  }

  test("row sets of n-grams have no sizes") {
    val rows = new Postings
    Seq(1L, 2L).foreach(rows.add)
    assert(hex(rows.encodeWide) == "0100000000000000000000003a3000000100000000000100100000000100" + "0200")
  }

  test("texts have the tokens of lower-case letters and digits, folded to ASCII") {
    assert(NGrams.of("The").toSeq == Seq(41751) && NGrams.of("qui").toSeq == Seq(38129))
    assert(NGrams.of("The Quick brown fóx 12 jumps").size == 11)
    assert(NGrams.of("fóx") == NGrams.of("FOX") && NGrams.of("Straße") == NGrams.of("strasse"))
    assert(NGrams.of("ab").isEmpty && NGrams.of("a-b-c").isEmpty)
  }

  test("bloom filters have the reference's sizes and bits") {
    val sizes = Seq(
      (8192L, 0.00057, 32768),
      (4096L, 0.01, 8192),
      (1000L, 0.001, 4096),
      (100L, 0.01, 256),
      (64L, 0.05, 64),
      (1L, 0.5, 32),
      (100000L, 1e-6, 1048576)
    )
    sizes.foreach { case (items, rate, size) => assert(BloomFilter.sizeFor(items, rate) == size, items) }
    val texts = new VariableBlock
    texts.append("key031".getBytes(UTF_8), 0, 6)
    val hash = (new BloomHashes).of(texts, 0)
    assert(hash == 0x9aabc1d750779a06L)
    val filter = new BloomFilter(32768)
    filter.add(hash)
    assert(hex(filter.toBytes.slice(618 * 32, 619 * 32)) ==
      "0000400000000080000100000000002000040000004000000000800040000000")
    val (dates, longs) = (new Fixed32Block, new Fixed64Block)
    dates.append(44)
    longs.append(150)
    assert((new BloomHashes).of(dates, 0) == 0x49d29ee495621f3eL)
    assert((new BloomHashes).of(longs, 0) == 0xb0fca7513038bb11L)
  }

  test("a zone has at most the given number of live rows, of one fragment") {
    val zones = new Zones(2, () => new StringBuilder)
    val addresses = Array(0L, 2L, 4L, (1L << 32) + 1)
    def add(from: Int, n: Int) = {
      val added = zones.add(addresses, from, n)
      addresses.slice(from, from + added).foreach(address => zones.current.append(address & 0xff))
      added
    }
    assert(add(0, 1) == 1 && add(1, 2) == 1 && add(2, 1) == 1 && add(3, 1) == 1)
    zones.finish()
    assert(zones.ended().map { case (zone, text) => (zone, text.toString) } ==
      Vector((Zone(0, 0, 3), "02"), (Zone(0, 4, 1), "4"), (Zone(1, 1, 1), "1")))
  }

  test("keys have the order of indices, and give their values back") {
    val doubles = new Fixed64Block
    val ascending = Seq(
      -java.lang.Double.longBitsToDouble(0x7ff8000000000000L),
      Double.NegativeInfinity,
      -1.5,
      -0.0,
      0.0,
      1.5,
      Double.PositiveInfinity,
      Double.NaN
    )
    ascending.foreach(value => doubles.append(java.lang.Double.doubleToRawLongBits(value)))
    checkOrder(
      IndexKeys.of(LogicalType.FloatingPoint(64)),
      doubles,
      new Fixed64Block
    )(_.values.take(ascending.size).toVector)
    val unsigned = new Fixed16Block
    Seq(0, 1, 0x7fff, 0x8000, 0xffff).foreach(value => unsigned.append(value.toShort))
    checkOrder(
      IndexKeys.of(LogicalType.Integer(16, signed = false)),
      unsigned,
      new Fixed16Block
    )(_.values.take(5).toVector)
    val decimals = new FixedBytesBlock(16)
    Seq(-300, -1, 0, 1, 300).foreach { value =>
      val at = decimals.extend(1)
      val bytes = BigInt(value).toByteArray.reverse.padTo(16, (if (value < 0) -1 else 0).toByte)
      System.arraycopy(bytes, 0, decimals.bytes, 16 * at, 16)
    }
    checkOrder(
      IndexKeys.of(LogicalType.Decimal(128, 38, 0)),
      decimals,
      new FixedBytesBlock(16)
    )(_.bytes.take(80).toVector)
    val binary = new Fixed32Block
    Seq("00000001", "00ff0000", "7f000000", "80000000", "ff000000").foreach { text =>
      binary.append(Integer.reverseBytes(Integer.parseUnsignedInt(text, 16)))
    }
    checkOrder(
      IndexKeys.of(LogicalType.FixedSizeBinary(4)),
      binary,
      new Fixed32Block
    )(_.values.take(5).toVector)
  }

  private def checkOrder[B <: io.sparklance.data.DataBlock](
      keys: Option[IndexKeys[_ <: AnyRef]],
      values: B,
      back: B
  )(content: B => Any): Unit = keys match {
    case Some(numbers: NumberIndexKeys) => check(numbers, values, back)(content)
    case Some(bytes: ByteIndexKeys) => check(bytes, values, back)(content)
    case None => fail("no keys")
  }

  private def check[K <: AnyRef, B <: io.sparklance.data.DataBlock](keys: IndexKeys[K], values: B, back: B)(
      content: B => Any
  ): Unit = {
    val all = Vector.tabulate(values.length)(keys.of(values, _))
    all.zip(all.drop(1)).foreach { case (a, b) => assert(keys.compare(a, b) < 0) }
    all.foreach(keys.append(_, back))
    val _ = assert(content(back) == content(values))
  }
}
