package io.sparklance.dataset.erasure

import java.nio.charset.StandardCharsets.UTF_8

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.ByteRange
import io.sparklance.io.{FileStamp, ReadableFile}

class SoughtTextsSuite extends AnyFunSuite {

  private def file(bytes: Array[Byte]): ReadableFile = new ReadableFile {
    def path: String = "f"
    def size: Long = bytes.length.toLong
    def stamp: Option[FileStamp] = None
    def read(range: ByteRange, target: Array[Byte], at: Int): Unit =
      System.arraycopy(bytes, range.offset.toInt, target, at, range.length.toInt)
    def close(): Unit = ()
  }

  test("texts are found anywhere in bytes, by their first 32 bytes, and not if they are short") {
    val long = "x" * 31 + "y" + "not compared"
    val sought = new SoughtTexts(Set("jane@a.org", "abc", long))
    def found(text: String) = sought.isIn(file(text.getBytes(UTF_8)))
    assert(found("jane@a.org") && found("..jane@a.org..") && found("x" * 40 + "y"))
    assert(!found("abc") && !found("jane@a.or") && !found("x" * 40) && !found(""))
    assert(new SoughtTexts(Set.empty[String]).isEmpty && !sought.isEmpty)
  }

  test("a text across the steps in which a file is read is found") {
    val step = 4 << 20
    Seq(step - 1, step - 9, step, 2 * step - 4).foreach { at =>
      val bytes = new Array[Byte](2 * step + 100)
      System.arraycopy("jane@a.org".getBytes(UTF_8), 0, bytes, at, 10)
      assert(new SoughtTexts(Set("jane@a.org")).isIn(file(bytes)), at)
    }
  }

  test("whole values are compared byte by byte, and texts in given bytes are left out") {
    val sought = new SoughtTexts(Set("ab", "caf\u00c3\u00a9", "name"))
    val bytes = "xabxcafé".getBytes(UTF_8)
    assert(sought.has(bytes, 1, 3) && !sought.has(bytes, 0, 3) && sought.has(bytes, 4, 9))
    assert(sought.without("a column name".getBytes(UTF_8)).texts == Set("ab", "caf\u00c3\u00a9"))
  }
}
