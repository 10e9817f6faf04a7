package io.sparklance.dataset

import java.nio.file.Paths

import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{FileVersion, RowRanges}
import io.sparklance.dataset.scan.{FragmentReader, ScanPlan, SplitTarget}
import io.sparklance.io.LocalStore
import io.sparklance.schema.Field
import io.sparklance.testkit.Blocks

/** Tables of version 0.1 of pylance 14.0.2 and 0.6.5, which tests/golden/tables.py made. Version 0.1 keeps
  * nulls of strings only: null numbers read as 0, null lists as empty, null structs as structs of such; empty
  * strings become null.
  */
class LegacyTableSuite extends AnyFunSuite {
  import LegacyTableSuite._

  test("columns inside of structs and lists are read as pylance reads them, in any batches") {
    for (batch <- Seq(1, 7, 149, 1000))
      assert(read("nested_0.1", batch = batch) == (0 until 400).map(i => nested(i) :+ third(i, "") :+ None))
  }

  test("any stretch of rows can be read alone, within a batch of the file and across") {
    for (
      (start, end) <-
        Seq((0, 1), (149, 150), (149, 151), (3, 320), (150, 300), (301, 400), (399, 400), (5, 5))
    ) {
      val rows = read("nested_0.1", rows = Some(RowRanges(start.toLong, end.toLong)), batch = 16)
      assert(rows == (start until end).map(i => nested(i) :+ third(i, "") :+ None))
    }
  }

  test("fields of structs are read one by one, and in any order") {
    def only(names: String*)(field: Field): Field =
      field.copy(children = names.flatMap(name => field.children.find(_.name == name)).toVector)
    def turned(fields: Vector[Field]): Vector[Field] = {
      val points = fields.find(_.name == "points").get
      val item = only("name", "x")(points.children.head)
      Vector(points.copy(children = Vector(item)), only("name")(fields.find(_.name == "struct").get))
    }
    assert(read("nested_0.1", turned) == (0 until 400).map { i =>
      val points = (0 until i % 3).map(j => Some(Vector(point(j)(1), point(j)(0)))).toVector
      Vector(Some(points), Some(Vector(point(i)(1))))
    })
  }

  test("deleted rows are left out, and columns of another file stand beside the others") {
    val rows = read("plain_0.1", _.filter(f => Set("id", "twice", "small")(f.name)))
    val kept = (0L until 520L).filter(i => i % 37 != 5 && (i <= 260 || i % 3 == 0))
    def small(i: Long): Long = if (i % 9 == 0) 0 else i % 50
    assert(rows == kept.map(i => Vector(Some(i), Some(small(i)), Some(2 * i))))
  }

  test("a table of an old release is read, though it does not tell how many rows a fragment has") {
    val table = dataset("old_0.1")
    assert(table.fragments.forall(_.physicalRows.isEmpty) && table.fileVersion == FileVersion.V0_1)
    val kept = (0 until 90).filter(_ % 7 != 3)
    assert(table.countRows == kept.size)
    assert(read("old_0.1") == kept.map(i => nested(i) :+ third(i, "brown") :+ Some(i.toLong)))
  }
}

private object LegacyTableSuite {
  private val words = "the quick brown fox jumps over a".split(" ")

  private def text(value: String): Option[Any] =
    Option.unless(value.isEmpty)(value.getBytes("UTF-8").toVector)

  private def third(i: Int, second: String): Option[Any] = text(Vector("quick", second, "fox")(i % 3))

  /** Fields x and name. */
  private def point(i: Int): Vector[Option[Any]] =
    if (i % 11 == 10) Vector(Some(0L), None)
    else Vector(Some(if (i % 5 == 0) 0L else i.toLong), text(words(i % 7)))

  /** Columns struct, list, texts, lists and points of row `i`. */
  private def nested(i: Int): Vector[Option[Any]] = {
    val list = if (i % 13 == 0) Vector.empty else (0L until i % 5L).map(Some(_)).toVector
    Vector(
      Some(point(i)),
      Some(list),
      Some((0 until i % 4).map(j => text(words(j))).toVector),
      Some(Vector(Some(Vector(Some(i.toLong))), Some(Vector.empty), Some(Vector.empty))),
      Some((0 until i % 3).map(j => Some(point(j))).toVector)
    )
  }

  private def dataset(name: String): Dataset =
    Dataset.open(LocalStore, Paths.get(s"tests/golden/tables/$name").toAbsolutePath.toString)

  private def read(
      name: String,
      projection: Vector[Field] => Vector[Field] = identity,
      rows: Option[RowRanges] = None,
      batch: Int = 1000
  ): Vector[Vector[Option[Any]]] = {
    val table = dataset(name)
    val splits = ScanPlan.splits(table, projection(table.schema.fields), SplitTarget.Bytes(Long.MaxValue))
    splits.flatMap(_.tasks).flatMap { whole =>
      val task = rows.fold(whole)(some => whole.copy(rows = some))
      Using.resource(FragmentReader.open(LocalStore, task, batch)) { reader =>
        Iterator
          .continually(reader.next())
          .takeWhile(identity)
          .flatMap(_ => reader.columns.map(c => Blocks.rows(c).take(reader.rowCount)).transpose)
          .toVector
      }
    }
  }
}
