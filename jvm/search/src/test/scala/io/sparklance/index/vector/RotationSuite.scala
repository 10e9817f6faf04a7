package io.sparklance.index.vector

import scala.util.Random

import com.fasterxml.jackson.databind.ObjectMapper
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

class RotationSuite extends AnyFunSuite {

  test("a rotation keeps lengths and angles, whatever the dimension") {
    for (d <- Seq(8, 16, 24, 40, 72, 128, 136, 1536)) {
      val random = new Random(d)
      val rotation = Rotation.random(d)
      val vectors = Vector.fill(2)(Array.fill(d)(random.nextGaussian().toFloat))
      val rotated = vectors.map(rotation(_))
      for (a <- 0 to 1; b <- 0 to 1) {
        def dot(of: Vector[Array[Float]]) = of(a).zip(of(b)).map { case (x, y) => x.toDouble * y }.sum
        assert(math.abs(dot(rotated) - dot(vectors)) < 1e-3 * d, d)
      }
    }
  }

  test("variants of rotated codes that are not read are refused by name, damaged ones as such") {
    val signs = Vector.fill(8)("1").mkString("[", ",", "]")
    val text =
      s"""{"fast_rotation_signs":$signs,"rotation_type":"fast","code_dim":16,"num_bits":1,"packed":true,""" +
        """"query_estimator":"raw_query"}"""
    def read(text: String) = QuantizerJson.quantizer(
      "IVF_RQ",
      new ObjectMapper().writeValueAsString(java.util.List.of(text)),
      16,
      _ => fail("a column")
    )(_ => fail("a buffer"))
    assert(read(text).isInstanceOf[Quantizer.Rotated])
    for (variant <- Seq("fast" -> "matrix", "raw_query" -> "residual_query"))
      assert(intercept[UnsupportedLanceFeatureException](
        read(text.replace(s"\"${variant._1}\"", s"\"${variant._2}\""))
      ).getMessage.contains(variant._2))
    for (
      damage <- Seq(
        "[1," -> "[",
        "\"num_bits\":1" -> "\"num_bits\":10",
        "\"code_dim\":16" -> "\"code_dim\":24",
        "fast_" -> "slow_"
      )
    ) { val _ = intercept[LanceFormatException](read(text.replace(damage._1, damage._2))) }
  }

  test("packed signs are read as those row by row") {
    val width = 3
    for (rows <- Seq(1, 31, 32, 33, 70)) {
      val random = new Random(rows)
      val plain = Array.fill(rows * width)(random.nextInt().toByte)
      def byte(row: Int, b: Int) = plain(row * width + b) & 0xff
      val order = Vector(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15)
      val grouped = rows / 32 * 32
      val packed = new Array[Byte](rows * width)
      for (first <- 0 until grouped by 32; b <- 0 until width; j <- 0 until 16) {
        val (low, high) = (byte(first + order(j), b), byte(first + order(j) + 16, b))
        packed(first * width + b * 32 + j) = (low & 15 | (high & 15) << 4).toByte
        packed(first * width + b * 32 + 16 + j) = (low >> 4 | high >> 4 << 4).toByte
      }
      for (row <- grouped until rows; b <- 0 until width)
        packed(grouped * width + b * (rows - grouped) + row - grouped) = byte(row, b).toByte
      val expected = RotatedCodes.signs(plain, rows, width, isPacked = false)
      assert(RotatedCodes.signs(packed, rows, width, isPacked = true).sameElements(expected))
    }
  }
}
