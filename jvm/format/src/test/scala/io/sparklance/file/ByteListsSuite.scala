package io.sparklance.file

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceException
import io.sparklance.data.RowRanges
import io.sparklance.schema.{Field, Leaf}
import io.sparklance.testkit.{Blocks, MemoryStore}

/** Strings of pylance 0.13.0 in a table that tests/golden/historic.py made. */
class ByteListsSuite extends AnyFunSuite {
  import ByteListsSuite._

  for ((name, request, value) <- columns) {
    test(s"$name: any stretch of rows is read, in any batches") {
      for (
        (start, end) <- Seq((0, Rows), (0, 1), (3, 4), (7, 31), (39, 40), (5, 5)); batch <- Seq(1, 7, 1000)
      )
        assert(read(
          golden,
          request,
          RowRanges(start.toLong, end.toLong),
          batch
        ) == (start until end).map(value))
    }

    test(s"$name: scattered rows are read") {
      for (step <- Seq(2, 3, 17)) {
        val wanted = (0 until Rows).filter(_ % step == 1)
        val rows = RowRanges.ofRows(wanted.map(_.toLong).toArray)
        assert(read(golden, request, rows, 7) == wanted.map(value))
      }
    }

    test(s"$name is refused or read in full, whichever byte of the file is wrong") {
      for (at <- golden.indices by 7; mask <- Seq(1, 0x80)) {
        val bytes = golden.updated(at, (golden(at) ^ mask).toByte)
        try assert(read(bytes, request, RowRanges(0, Rows.toLong), 1000).size == Rows)
        catch { case _: LanceException => () }
      }
    }
  }
}

private object ByteListsSuite {
  final val Rows = 40

  /** The file of the first fragment, the larger one. */
  private val golden: Array[Byte] = {
    val folder = Paths.get("tests/golden/historic/strings_0.13.0/data").toAbsolutePath
    val files: Vector[Path] = Using.resource(Files.list(folder))(_.iterator.asScala.toVector)
    Files.readAllBytes(files.maxBy(Files.size(_)))
  }

  private val schema = reading(golden)(_.schema)

  private def field(name: String): Field = schema.fields.find(_.name == name).get

  private def text(i: Int): Option[Vector[Byte]] = Option.unless(i % 7 == 3) {
    ("é" * (i % 5) + i.toString * (i % 3)).getBytes("UTF-8").toVector
  }

  private val columns: Seq[(String, ColumnRequest, Int => Option[Any])] = Seq(
    ("text", ColumnRequest(1, field("text")), text),
    ("binary", ColumnRequest(3, field("binary")), text),
    (
      "list",
      ColumnRequest(9, Leaf(Vector(field("list")), field("list").children.head), Vector(8)),
      i => Option.unless(i % 11 == 5)((i until i + i % 4).map(text).toVector)
    )
  )

  private def reading[A](file: Array[Byte])(body: FileReader => A): A = {
    val store = new MemoryStore
    store.put("f", file)
    Using.resource(FileReader.open(store, "f", None))(body)
  }

  private def read(file: Array[Byte], request: ColumnRequest, rows: RowRanges, batch: Int): Seq[Option[Any]] =
    reading(file) { reader =>
      val scan = reader.scan(Vector(request), rows, Rows.toLong)
      val read = Vector.newBuilder[Option[Any]]
      var there = scan.fill(batch)
      while (there > 0) {
        read ++= Blocks.rows(scan.columns.head).take(there)
        scan.advance(there)
        scan.columns.head.discardHead(there)
        there = scan.fill(batch)
      }
      read.result()
    }
}
