package io.sparklance.file

import java.nio.file.{Files, Paths}
import java.util.zip.CRC32

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.RowRange
import io.sparklance.io.LocalStore
import io.sparklance.testkit.Scans

/** Files that pylance wrote, see tests/golden/generate.py. */
class GoldenFileSuite extends AnyFunSuite {
  private val directory = Paths.get("tests/golden").toAbsolutePath

  private def expected(name: String): Map[String, String] =
    Files.readAllLines(directory.resolve(s"$name.expected")).asScala.iterator.map { line =>
      val at = line.indexOf('\t')
      line.substring(0, at) -> line.substring(at + 1)
    }.toMap

  private def summary(values: Vector[String]): String = {
    val text = values.mkString(",")
    if (text.length <= 3000) text
    else {
      val crc = new CRC32
      crc.update(text.getBytes("US-ASCII"))
      f"crc32:${crc.getValue}%08x"
    }
  }

  for {
    version <- Seq("0.1", "2.0", "2.1", "2.2")
    // Files of version 0.1 are never empty.
    (kind, rows) <- Seq("flat" -> 24, "many" -> 3000, "empty" -> 0) if rows > 0 || version != "0.1"
  } {
    val name = s"${kind}_$version"
    lazy val values = Scans.read(LocalStore, s"$directory/$name.lance")

    for ((column, text) <- expected(name))
      test(s"$name: $column is read as it was written") {
        val read = Scans.read(LocalStore, s"$directory/$name.lance", names = Some(Set(column)))(column)
        assert(read.size == rows)
        assert(summary(read) == text)
      }

    test(s"$name: all columns are read side by side, in any batches") {
      assert(values.view.mapValues(summary).toMap == expected(name))
      for (batchRows <- Seq(1, 7, 1024, 100000))
        assert(Scans.read(LocalStore, s"$directory/$name.lance", batchRows = batchRows) == values)
    }

    test(s"$name: any stretch of rows is that stretch of the whole") {
      for (
        (start, end) <- Seq(
          (0, 1),
          (5, 6),
          (1, rows),
          (1023, 1025),
          (2099, 2101),
          (2100, 2101),
          (rows - 1, rows),
          (rows, rows + 5)
        )
      ) {
        val part = Scans.read(LocalStore, s"$directory/$name.lance", RowRange(start.toLong, end.toLong))
        assert(part == values.view.mapValues(_.slice(start, end)).toMap, s"rows $start to $end")
      }
    }
  }
}
