package io.sparklance.index.text.build

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.util.Arrays

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.Slice
import io.sparklance.index.text.Fst

class FstSuite extends AnyFunSuite {

  private def encoded(tokens: Iterable[Array[Byte]]): Array[Byte] = {
    val writer = new FstWriter
    tokens.foreach(writer.add)
    writer.finish()
  }

  private def decoded(bytes: Array[Byte]): Vector[(String, Long)] = {
    val out = Vector.newBuilder[(String, Long)]
    new Fst(Slice(bytes)).foreach(Long.MaxValue)((key, length, value) =>
      out += new String(key, 0, length, ISO_8859_1) -> value
    )
    out.result()
  }

  private def check(tokens: Set[Vector[Byte]]): Array[Byte] = {
    val sorted = tokens.toVector.map(_.toArray).sortWith(Arrays.compareUnsigned(_, _) < 0)
    val bytes = encoded(sorted)
    assert(decoded(bytes) == sorted.map(new String(_, ISO_8859_1)).zipWithIndex.map { case (token, i) =>
      token -> i.toLong
    })
    bytes
  }

  private def hex(words: Iterable[String]): String =
    check(words.map(_.getBytes(UTF_8).toVector).toSet).map(byte => f"$byte%02x").mkString

  test("the bytes are those that pylance wrote") {
    assert(
      hex(Seq("cat", "dog", "dogs")) ==
        "03000000000000000000000000000000001081c5000100731141d7c4010001096463110203000000" +
        "000000002300000000000000d7499acf"
    )
    val ends = Seq("do", "load", "loads", "place", "placed", "cover")
    assert(
      hex(Seq("re", "un", "dis", "").flatMap(head => ends.map(head + _))) ==
        "03000000000000000000000000000000001087c2e2c4" +
        "001084000100731141d2c5c4000100641141c2cac5cf04020100010b1417706c64631104c6060000016f6911020a10820d108b120c0a0801" +
        "0001041e2807347572706c6463110618000000000000005c00000000000000802c0ca9"
    )
  }

  test("random tokens come back with their places") {
    val random = new Random(1)
    for (round <- 0 until 60) {
      val letters = 1 + random.nextInt(256)
      val most = 1 + random.nextInt(12)
      def token() = Vector.fill(random.nextInt(most + 1))(random.nextInt(letters).toByte)
      check(Iterator.fill(1 << random.nextInt(11))(token()).toSet + Vector(round.toByte))
    }
  }

  test("nodes with all bytes, the empty token and a long one") {
    val bytes = (0 until 256).map(i => Vector(i.toByte)).toSet
    check(bytes + Vector.empty)
    check(bytes.flatMap(head => bytes.map(head ++ _)))
    check(Set(Vector.fill(5000)('a'.toByte), Vector.fill(4999)('a'.toByte)))
  }

  test("ends that tokens share are written once") {
    val tokens = for (head <- 0 until 100; tail <- 0 until 100) yield f"head$head%02dtail$tail%02d"
    assert(check(tokens.map(_.getBytes(UTF_8).toVector).toSet).length < 2000)
  }
}
