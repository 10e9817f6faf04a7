package io.sparklance.data

import java.nio.ByteBuffer
import java.nio.charset.CodingErrorAction.REPORT
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Try

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class Utf8Suite extends AnyFunSuite with ScalaCheckPropertyChecks {

  private def javas(bytes: Array[Byte]): Boolean =
    Try(
      UTF_8.newDecoder.onMalformedInput(REPORT).onUnmappableCharacter(REPORT).decode(ByteBuffer.wrap(bytes))
    ).isSuccess

  private def check(bytes: Array[Byte]): Unit = {
    val padded = Array[Byte](-1, -1) ++ bytes ++ Array[Byte](-1)
    assert(Utf8.isAscii(padded, 2, 2 + bytes.length) == bytes.forall(_ >= 0))
    val _ = assert(
      Utf8.isValid(padded, 2, 2 + bytes.length) == javas(bytes),
      bytes.map(b => f"$b%02x").mkString(" ")
    )
  }

  test("one and two bytes of all values are UTF-8 if Java says so") {
    for (a <- 0 to 255) {
      check(Array(a.toByte))
      for (b <- 0 to 255) check(Array(a.toByte, b.toByte))
    }
  }

  test("three and four bytes at the boundaries are UTF-8 if Java says so") {
    val edges = Seq(0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff).map(_.toByte)
    for (a <- 0xe0 to 0xf8; b <- edges; c <- edges) {
      check(Array(a.toByte, b, c))
      for (d <- edges) check(Array(a.toByte, b, c, d))
    }
  }

  test("texts are UTF-8 wherever words of eight bytes end, and are not if a byte is broken") {
    val texts = Gen.listOf(Gen.oneOf("a", "bc", "ä", "路", "😀", "1234567")).map(_.mkString)
    forAll(texts, Gen.choose(0, 1000), Gen.choose(0, 255)) { (text, place, byte) =>
      val bytes = text.getBytes(UTF_8)
      check(bytes)
      if (bytes.nonEmpty) check(bytes.updated(place % bytes.length, byte.toByte))
    }
  }
}
