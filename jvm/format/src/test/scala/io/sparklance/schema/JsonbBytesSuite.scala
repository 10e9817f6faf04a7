package io.sparklance.schema

import java.nio.charset.StandardCharsets.UTF_8
import java.util.HexFormat

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.LanceUsageException

class JsonbBytesSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private def bytes(text: String): Array[Byte] = JsonbBytes.of(text.getBytes(UTF_8))
  private def hex(text: String): String = HexFormat.of.formatHex(bytes(text))

  /** There and back. */
  private def again(text: String): String = {
    val jsonb = bytes(text)
    new String(JsonbText.of(jsonb, 0, jsonb.length), UTF_8)
  }

  private def refused(text: String): String = intercept[LanceUsageException](bytes(text)).getMessage

  // What pylance 14.0.2 stores of these, from the pages of a table.
  Seq(
    "null" -> "2000000000000000",
    "true" -> "2000000040000000",
    "\"ä\"" -> "2000000010000002c3a4",
    "0" -> "200000002000000100",
    "1" -> "20000000200000025001",
    "-1" -> "200000002000000240ff",
    "255" -> "200000002000000250ff",
    "256" -> "2000000020000003500100",
    "-129" -> "200000002000000340ff7f",
    "65536" -> "20000000200000055000010000",
    "4294967296" -> "2000000020000009500000000100000000",
    "18446744073709551615" -> "200000002000000950ffffffffffffffff",
    "-9223372036854775808" -> "2000000020000009408000000000000000",
    "1.5" -> "2000000020000009603ff8000000000000",
    "0.0" -> "2000000020000009600000000000000000",
    "1e2" -> "2000000020000009604059000000000000",
    "[]" -> "80000000",
    "{}" -> "40000000",
    "[1,\"a\",null,[false]]" -> "80000004200000021000000100000000500000085001618000000130000000",
    "{\"b\":1,\"a\":{\"c\":[true]}}" ->
      "400000021000000110000001500000152000000261624000000110000001500000086380000001400000005001"
  ).foreach { case (text, stored) =>
    test(s"$text is stored as pylance stores it")(assert(hex(text) == stored))
  }

  Seq(
    "null",
    "true",
    "[]",
    "{}",
    "\"\"",
    "[1,[2,[3,{}]],\"x\"]",
    "18446744073709551615",
    "-9223372036854775808",
    "1.5",
    "-0.0",
    "{\"\":{\"\":null},\"a\":[true,false]}",
    "\"straße – 路 😀\""
  ).foreach(text => test(s"$text comes back as it is")(assert(again(text) == text)))

  test("space goes, keys get in order, escapes are resolved, numbers take their shortest form") {
    assert(again(" { \"b\" : 1 ,\n\t\"a\": [ ] , \"B\" : 1e2 }\r ") == "{\"B\":100.0,\"a\":[],\"b\":1}")
    assert(again("\"\\u0041\\u00e4\\ud83d\\ude00\\/\\\"\\\\\\b\\f\\n\\r\\t\"") ==
      "\"Aä😀/\\\"\\\\\\b\\f\\n\\r\\t\"")
    assert(again("[1E2, 0.10, -0, 1.0]") == "[100.0,0.1,0,1.0]")
  }

  test("integers beyond 64 bits become doubles") {
    assert(again("18446744073709551616") == "1.8446744073709552e+19")
    assert(again("-9223372036854775809") == "-9.223372036854776e+18")
  }

  Seq(
    "" -> "ends too early",
    "[1" -> "ends too early",
    "\"a" -> "ends too early",
    "[1,]" -> "a value was expected",
    "{,}" -> "'\"' was expected",
    "{\"a\" 1}" -> "':' was expected",
    "[1 2]" -> "',' was expected",
    "1 2" -> "text after the value",
    "01" -> "text after the value",
    "nul" -> "ends too early",
    "NaN" -> "a value was expected",
    "'a'" -> "a value was expected",
    "1." -> "ends too early",
    "1e+" -> "ends too early",
    "-a" -> "a digit",
    "\"\n\"" -> "control character",
    "\"\\x\"" -> "a backslash",
    "\"\\u12g4\"" -> "four hexadecimal digits",
    "\"\\ud800x\"" -> "was expected",
    "\"\\ud800\\ud800\"" -> "half a surrogate pair",
    "{\"a\":1,\"\\u0061\":2}" -> "the key 'a' occurs twice",
    "1e999" -> "larger than a double"
  ).foreach { case (text, why) => test(s"<$text> is refused: $why")(assert(refused(text).contains(why))) }

  test("nesting is bounded") {
    def nested(n: Int): String = "[" * n + "]" * n
    assert(again(nested(299)) == nested(299))
    assert(refused(nested(100000)).contains("nested more than 300 levels"))
  }

  test("values come back, of any nesting, and truncated texts are refused") {
    def value(depth: Int): Gen[String] = {
      val text = Gen.oneOf("a", "ä", "😀", "x y").map(s => "\"" + s + "\"")
      val number = Gen.chooseNum(Long.MinValue, Long.MaxValue).map(_.toString)
      val flat = Gen.oneOf(text, number, Gen.oneOf("null", "true", "false", "0", "1.5"))
      if (depth == 0) flat
      else {
        val items = Gen.choose(0, 4).flatMap(Gen.listOfN(_, value(depth - 1)))
        val list = items.map(_.mkString("[", ",", "]"))
        val fields = items.map(_.zipWithIndex.map { case (v, i) => s"\"k$i\":$v" }.mkString("{", ",", "}"))
        Gen.oneOf(flat, list, fields)
      }
    }
    forAll(value(4), Gen.choose(0, 1000)) { (text, cut) =>
      assert(again(text) == text)
      if ("[{\"".contains(text.head)) { val _ = refused(text.take(cut % text.length)) }
    }
  }
}
