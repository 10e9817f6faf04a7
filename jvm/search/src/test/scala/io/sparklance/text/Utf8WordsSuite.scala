package io.sparklance.text

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

/** Words of bytes are the tokens of the text that the bytes stand for. */
final class Utf8WordsSuite extends AnyFunSuite {
  private val letters =
    Vector(
      "a",
      "Z",
      "7",
      " ",
      "\t",
      "-",
      "_",
      "é",
      "½",
      "ß",
      "—",
      "北",
      "京",
      "кот",
      "😀",
      "𝒳",
      "\u0301",
      "ﬁ",
      "\ufffd",
      "\f"
    )

  for (tokenizer <- Vector(Tokenizer.Simple, Tokenizer.Whitespace)) {
    test(s"random texts: $tokenizer") {
      val random = new Random(1)
      for (_ <- 0 until 2000) {
        val text = Vector.fill(random.nextInt(30))(letters(random.nextInt(letters.size))).mkString
        assertSame(tokenizer, text.getBytes(UTF_8))
      }
    }

    test(s"malformed bytes: $tokenizer") {
      val random = new Random(2)
      val bytes = Vector(0x61, 0x20, 0x80, 0xbf, 0xc0, 0xc3, 0xa9, 0xe0, 0xa0, 0xe2, 0x82, 0xed, 0xef, 0xf0,
        0x9f, 0xf4, 0xf8, 0xff)
      for (_ <- 0 until 20000)
        assertSame(tokenizer, Array.fill(random.nextInt(12))(bytes(random.nextInt(bytes.size)).toByte))
      for (_ <- 0 until 20000)
        assertSame(tokenizer, Array.fill(random.nextInt(12))(random.nextInt(256).toByte))
    }
  }

  test("other tokenizers do not split into runs") {
    assert(Utf8Words.of(Tokenizer.Raw).isEmpty &&
      Utf8Words.of(Tokenizer.NGram(2, 3, prefixOnly = false)).isEmpty)
  }

  test("no two words have the same hash in all tables") {
    val isSame = Vector.fill(4)(Utf8Words.of(Tokenizer.Simple).get).map { words =>
      var hashes = Set.empty[Int]
      words.split("Aa BB".getBytes(UTF_8), 0, 5, (_, _, hash, _) => hashes += hash)
      hashes.size == 1
    }
    assert(isSame.contains(false))
  }

  private def assertSame(tokenizer: Tokenizer, text: Array[Byte]): Unit = {
    val expected, found = Vector.newBuilder[(String, Int)]
    tokenizer.split(new String(text, UTF_8), (token, position) => { val _ = expected += token -> position })
    val around = Array[Byte]('x') ++ text ++ Array[Byte]('y')
    Utf8Words.of(tokenizer).get.split(
      around,
      1,
      around.length - 1,
      (from, until, _, position) => {
        val _ = found += new String(around, from, until - from, UTF_8) -> position
      }
    )
    assert(found.result() == expected.result(), text.map(b => f"${b & 255}%02x").mkString(" "))
    ()
  }
}
