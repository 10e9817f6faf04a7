package io.sparklance.file

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{FileVersion, LittleEndian, Slice}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

class FooterSuite extends AnyFunSuite {

  /** Footer of a file of two columns that pylance 14.0.2 wrote, 645 bytes long. */
  private val golden =
    "3d01000000000000" + "2d02000000000000" + "4d02000000000000" + "01000000" + "02000000" + "0200" + "0200" +
      "4c414e43"
  private val goldenFooter = Footer(0x13d, 0x22d, 0x24d, 1, 2, FileVersion.V2_2)

  private def bytes(hex: String): Array[Byte] = hex.grouped(2).map(Integer.parseInt(_, 16).toByte).toArray
  private def changed(change: Array[Byte] => Unit): Slice = {
    val copy = bytes(golden)
    change(copy)
    Slice(copy)
  }

  test("a footer of the reference is read, and written with the same bytes") {
    assert(Footer.parse(Slice(bytes(golden)), 645) == goldenFooter)
    assert(goldenFooter.print.sameElements(bytes(golden)))
  }

  test("a file with another end is not a Lance file") {
    val e = intercept[LanceFormatException](Footer.parse(changed(_(39) = 'X'), 645))
    assert(e.getMessage.contains("does not end with LANC"))
  }

  for (((major, minor), name) <- Seq((2, 3) -> "2.3", (3, 1) -> "3.1", (65535, 65535) -> "65535.65535"))
    test(s"version ($major, $minor) is refused as $name") {
      val e = intercept[UnsupportedLanceFeatureException](Footer.parse(
        changed { b =>
          LittleEndian.putShort(b, 32, major.toShort); LittleEndian.putShort(b, 34, minor.toShort)
        },
        645
      ))
      assert(e.feature == s"file version $name")
    }

  test("the version of legacy files, which end otherwise, is bad data") {
    val legacy = changed { b => LittleEndian.putShort(b, 32, 0); LittleEndian.putShort(b, 34, 2) }
    val e = intercept[LanceFormatException](Footer.parse(legacy, 645))
    assert(e.getMessage == "a footer of version 0.1 where one of 2.x is expected")
  }

  for ((major, minor) <- Seq((0, 3), (2, 0)))
    test(s"version ($major, $minor) is 2.0") {
      val footer = Footer.parse(
        changed { b =>
          LittleEndian.putShort(b, 32, major.toShort); LittleEndian.putShort(b, 34, minor.toShort)
        },
        645
      )
      assert(footer.version == FileVersion.V2_0)
    }

  test("positions outside of the file or out of order are bad data") {
    for (at <- Seq(0, 8, 16); value <- Seq(-1L, Long.MinValue, Long.MaxValue, 646L)) {
      val e = intercept[LanceFormatException](Footer.parse(changed(LittleEndian.putLong(_, at, value)), 645))
      assert(e.getMessage.contains("is inconsistent"))
    }
    assert(intercept[LanceFormatException](Footer.parse(
      Slice(bytes(golden)),
      600
    )).getMessage.contains("is inconsistent"))
  }

  test("more entries than the tables have room for are bad data") {
    for ((at, value) <- Seq(28 -> 3, 28 -> Int.MaxValue, 24 -> 2, 24 -> Int.MaxValue)) {
      val e = intercept[LanceFormatException](Footer.parse(changed(LittleEndian.putInt(_, at, value)), 645))
      assert(e.getMessage.contains("more than its tables have room for"))
    }
    for ((at, value) <- Seq(28 -> -1, 24 -> 0, 24 -> -5))
      assert(intercept[LanceFormatException](Footer.parse(
        changed(LittleEndian.putInt(_, at, value)),
        645
      )).reason.nonEmpty)
  }

  test("a column that the file does not have is bad data") {
    for (index <- Seq(-1, 2))
      assert(
        intercept[LanceFormatException](goldenFooter.columnEntry(index)).getMessage ==
          s"column $index wanted of a file of 2 columns"
      )
  }
}
