package io.sparklance.schema

import java.nio.charset.StandardCharsets.UTF_8

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.testkit.Hex
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** The bytes are what pylance 14.0.2 stored, found in uncompressed 2.0 files, unless a test says otherwise. */
class JsonbTextSuite extends AnyFunSuite {
  private def text(hex: String): String = of(Hex.slice(hex).toArray)
  private def of(bytes: Array[Byte]): String = new String(JsonbText.of(bytes, 0, bytes.length), UTF_8)

  private val goldens: Seq[(String, String)] = Seq(
    "null" -> "2000000000000000",
    "true" -> "2000000040000000",
    "\"ä\\n\\\"\\\\\\u0001\"" -> "2000000010000006c3a40a225c01",
    "0" -> "200000002000000100",
    "-1" -> "200000002000000240ff",
    "300" -> "200000002000000350012c",
    "18446744073709551615" -> "200000002000000950ffffffffffffffff",
    "1.5" -> "2000000020000009603ff8000000000000",
    "-1.0E-5" -> "200000002000000960bee4f8b588e368f1",
    "1.2345678901234568E29" -> "20000000200000096045f8ee90ff6c373e",
    "[]" -> "80000000",
    "{}" -> "40000000",
    """[1,[null,{"a":[]}],"x"]""" ->
      ("80000003200000025000001d100000015001" + "800000020000000050000011" +
        "400000011000000150000004" + "6180000000" + "78"),
    """{"":false,"a":{"b":-70000},"c":[1.5,"y"]}""" ->
      ("4000000310000000100000011000000130000000" + "5000001250000016" + "6163" +
        "400000011000000120000005" + "6240fffeee90" + "80000002200000091000000160" + "3ff800000000000079")
  )

  goldens.foreach { case (json, hex) =>
    test(s"$json is what is stored as $hex")(assert(text(hex) == json))
  }

  private def scalar(entry: String, payload: String): String = s"20000000$entry$payload"

  // Made by hand, since no JSON text has them.
  Seq(
    "10" -> "null",
    "20" -> "null",
    "30" -> "null",
    "60 4004000000000000" -> "2.5",
    "40 80" -> "-128",
    "50 ff" -> "255",
    "70 ffffffffffffff85 02" -> "-1.23",
    "70 0000000000000000000000000000007b 26 01" -> "12.3"
  ).foreach { case (payload, json) =>
    test(s"the number $payload is shown as $json") {
      val bytes = payload.replace(" ", "")
      assert(text(scalar(f"2${bytes.length / 2}%07x", bytes)) == json)
    }
  }

  test("an empty value is null, as it is for the reference")(assert(text("") == "null"))

  test("a value is found anywhere in an array") {
    val bytes = Hex.slice("ffff" + scalar("40000000", "") + "ff").toArray
    assert(new String(JsonbText.of(bytes, 2, bytes.length - 1), UTF_8) == "true")
  }

  test("extensions of JSON are refused by name") {
    val date = scalar("60000005", "1000000001")
    assert(
      intercept[UnsupportedLanceFeatureException](text(date)).feature == "an extension of JSON in JSONB"
    )
  }

  test("values nested deeper than a thousand levels are refused") {
    def nested(levels: Int): String = levels match {
      case 0 => "80000000"
      case n =>
        val inner = nested(n - 1)
        f"80000001${0x50000000 | inner.length / 2}%08x$inner"
    }
    assert(text(nested(999)) == "[" * 1000 + "]" * 1000)
    assert(intercept[LanceFormatException](text(nested(1000))).getMessage.contains("more than 1000 levels"))
  }

  test("counts and lengths that the bytes do not hold are refused") {
    Seq("9fffffff", "5fffffff00000000", "800000012fffffff", "2000000010000004616263").foreach { hex =>
      intercept[LanceFormatException](text(hex))
    }
  }

  test("any bytes give text or one of our errors") {
    val random = new scala.util.Random(7)
    goldens.foreach { case (_, hex) =>
      val whole = Hex.slice(hex).toArray
      (0 until whole.length).foreach(n => attempt(whole.take(n)))
      (0 until 2000).foreach { _ =>
        val bytes = whole.clone()
        bytes(random.nextInt(bytes.length)) = random.nextInt().toByte
        attempt(bytes)
      }
    }
  }

  private def attempt(bytes: Array[Byte]): Unit =
    try { val _ = of(bytes) }
    catch { case _: LanceFormatException | _: UnsupportedLanceFeatureException => () }
}
