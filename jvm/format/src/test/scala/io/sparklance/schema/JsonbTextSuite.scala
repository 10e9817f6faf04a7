package io.sparklance.schema

import java.nio.charset.StandardCharsets.UTF_8

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.testkit.Hex
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** The bytes are what pylance 14.0.2 stored, found in uncompressed 2.0 files, unless a test says otherwise.
  */
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
    "-0.00001" -> "200000002000000960bee4f8b588e368f1",
    "1.2345678901234568e+29" -> "20000000200000096045f8ee90ff6c373e",
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
    test(s"$json is stored as $hex")(assert(text(hex) == json))
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

  private val extensions = Seq(
    scalar("60000011", "400000000e0000000300000000dde878c4"),
    scalar("6000000d", "3000060a241820224000001c20")
  )

  // Payloads made by hand, and the text that pylance 14.0.2 shows of them.
  Seq(
    "00dead" -> "DEAD",
    "00" -> "",
    "1000000001" -> "1970-01-02",
    "10ffffffff" -> "1969-12-31",
    "10fff3cb00" -> "-000221-09-04",
    "10fff551a0" -> "0053-06-19",
    "10002cc0a0" -> "9999-12-31",
    "2000060a2418202240" -> "2023-11-14 22:13:20.123456",
    "200000000000000000" -> "1970-01-01 00:00:00.000000",
    "20ffffffffffffffff" -> "1969-12-31 23:59:59.999999",
    "20ff074f5ef1b90000" -> "-249-10-15 19:33:20.000000",
    "207fffffffffffffff" -> "9999-12-30 22:00:00.000000",
    "208000000000000000" -> "-9999-01-02 01:59:59.000000",
    "20ff23bb5417ed0000" -> "0005-04-19 09:46:40.000000",
    "3000060a241820224000001c20" -> "2023-11-15 00:13:20.123456 +0200",
    "3000060a2418202240ffffb299" -> "2023-11-14 16:43:05.123456 -053015",
    "300000000000000000f8" -> "1969-12-31 16:00:00.000000 -0800",
    "30000000000000000000000000" -> "1970-01-01 00:00:00.000000 +0000",
    "307fffffffffffffff00016d9f" -> "9999-12-31 23:59:59.000000 +255959",
    "308000000000000000fffe9261" -> "-9999-01-01 00:00:00.000000 -255959",
    "400000000e0000000300000000dde878c4" -> "1 year 2 months 3 days 01:02:03.000004",
    "4000000000000000000000000000000000" -> "00:00:00",
    "40fffffff3ffffffffffffffff296c5c00" -> "-1 year -1 month -1 day -01:00:00",
    "4000000000000000000001476b081e8000" -> "100000:00:00",
    "4000000001000000000000000000000001" -> "1 month 00:00:00.000001",
    "40fffffff5000000000000000000000000" -> "-11 months"
  ).foreach { case (payload, shown) =>
    test(s"the extension $payload is shown as $shown") {
      assert(text(scalar(f"6${payload.length / 2}%07x", payload)) == s"\"$shown\"")
    }
  }

  test("extensions stand in arrays like all else") {
    assert(text("800000026000000560000003100000000100abcd") == """["1970-01-02","ABCD"]""")
  }

  test("extensions of other kinds are refused by name, and those of other lengths as corrupt") {
    assert(
      intercept[UnsupportedLanceFeatureException](text(scalar("60000002", "5061"))).feature ==
        "a JSONB extension of kind 80"
    )
    Seq(
      "",
      "10616263",
      "20",
      "3000",
      "40ff",
      "107fffffff",
      "10ff800000",
      "3000000000000000007fffffff"
    ).foreach {
      payload =>
        intercept[LanceFormatException](text(scalar(f"6${payload.length / 2}%07x", payload)))
    }
  }

  Seq(
    1e-5 -> "0.00001",
    1.2e-6 -> "1.2e-6",
    1e15 -> "1000000000000000.0",
    1e16 -> "1e+16",
    9007199254740993.0 -> "9007199254740992.0",
    123456789.125 -> "123456789.125",
    1.7976931348623157e308 -> "1.7976931348623157e+308",
    2e-3 -> "0.002",
    // Before Java 19 these have other digits as text.
    6.84798354874497e18 -> "6.84798354874497e+18",
    -1910714478032117.3 -> "-1910714478032117.2",
    5.684341886080802e-14 -> "5.684341886080802e-14",
    java.lang.Double.MIN_VALUE -> "5e-324",
    -0.0 -> "-0.0"
  ).foreach { case (value, shown) =>
    test(s"the double $value is shown as $shown") {
      val bits = java.lang.Double.doubleToRawLongBits(value)
      assert(text(scalar("20000009", f"60$bits%016x")) == shown)
    }
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
    (goldens.map(_._2) ++ extensions).foreach { hex =>
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
