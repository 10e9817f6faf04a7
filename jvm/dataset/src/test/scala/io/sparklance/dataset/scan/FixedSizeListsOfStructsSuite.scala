package io.sparklance.dataset.scan

import java.nio.file.{Files, Paths}

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.RowRanges
import io.sparklance.schema.LogicalType.{FixedSizeList, Integer, List => ListType, Struct}
import io.sparklance.schema.{Field, Leaf}
import io.sparklance.testkit.Hostile
import io.sparklance.{LanceFormatException, Location, UnsupportedLanceFeatureException}

/** Files of pylance that tests/golden/generate.py made. Each leaf of such lists is a row for each of their
  * items.
  */
class FixedSizeListsOfStructsSuite extends AnyFunSuite {
  import FixedSizeListsOfStructsSuite._
  import NestedFragmentSuite.{Rows, read, within}

  private val golden = Files.readAllBytes(Paths.get("tests/golden/fixed_lists_2.2.lance").toAbsolutePath)

  test("fixed-size lists of structs are read as they were written, in any batches") {
    for (batch <- Seq(1, 7, 1000))
      assert(read(golden, identity, batch = batch) == (0 until Rows).map(row))
  }

  test("any stretch of rows can be read alone") {
    for ((start, end) <- Seq((0, 1), (3, 4), (7, 31), (49, 51), (50, 120), (60, 119), (119, 120), (5, 5)))
      assert(read(golden, identity, RowRanges(start.toLong, end.toLong), 16) == (start until end).map(row))
  }

  test("the fields of their structs come in the order in which they are wanted") {
    val rows = read(golden, fields => Vector(within(fields(0), "item")(_.reverse), fields(3)))
    assert(rows == (0 until Rows).map { i =>
      val triples = row(i)(0).map(_.asInstanceOf[Seq[Option[Seq[Any]]]].map(_.map(_.reverse)))
      Vector(triples, row(i)(3))
    })
  }

  test("a field that no file has is null in lists that are as they were") {
    val rows =
      read(golden, fields => Vector(within(fields(0), "item")(_ => Vector(NestedFragmentSuite.later))))
    assert(rows == (0 until Rows).map { i =>
      Vector(row(i)(0).map(_.asInstanceOf[Seq[Option[Any]]].map(_.map(_ => Vector(None)))))
    })
  }

  test("whichever byte is wrong, rows are read in full or refused") {
    Hostile.flipping(golden, step = 11, masks = Seq(1, 0xff)) { bytes =>
      try {
        val rows = LanceFormatException.locating(Location())(read(bytes, identity, schemaOf = golden))
        val _ = assert(rows.size == Rows)
      } catch { case _: LanceFormatException | _: UnsupportedLanceFeatureException => () }
    }
  }

  private def around(outside: Field => Field): Leaf = {
    val leaf = Field(3, "a", Integer(32, signed = true), nullable = true)
    val item = Field(2, "item", Struct, nullable = true, Vector(leaf))
    val list = Field(1, "f", FixedSizeList(Struct, 3), nullable = true, Vector(item))
    outside(list) match {
      case same if same == list => Leaf(Vector(list, item), leaf)
      case outer => Leaf(Vector(outer, list, item), leaf)
    }
  }

  test("a leaf has as many rows as the lists around it have items") {
    assert(around(identity).rowsPerRow == 3)
    assert(around(f => Field(0, "o", FixedSizeList(Struct, 5), nullable = true, Vector(f))).rowsPerRow == 15)
    val huge = around(f => Field(0, "o", FixedSizeList(Struct, Int.MaxValue), nullable = true, Vector(f)))
    assert(
      intercept[UnsupportedLanceFeatureException](huge.rowsPerRow).feature ==
        "fixed-size lists of 6442450941 structs (column 'o.f.item.a')"
    )
  }

  test("lists of such lists are refused by name") {
    val leaf =
      around(f => Field(0, "l", ListType(large = false, ofStruct = false), nullable = true, Vector(f)))
    val error =
      intercept[UnsupportedLanceFeatureException](new io.sparklance.encoding.logical.LeafColumn(leaf))
    assert(error.feature == "fixed-size lists of structs in lists (column 'l.f.item.a')")
  }
}

private object FixedSizeListsOfStructsSuite {
  private def text(value: String): Option[Any] = Some(value.getBytes("UTF-8").toVector)
  private def when(isThere: Boolean)(value: => Any): Option[Any] = Option.when(isThere)(value)

  /** Row `i` as the generator makes it: triples, deep, lists, packed. */
  def row(i: Int): Vector[Option[Any]] = Vector(
    when(i % 8 != 3)((0 until 3).map(k => entry(3 * i + k)).toVector),
    when(i % 9 != 4)((0 until 2).map(deep(i, _)).toVector),
    when(i % 10 != 6)((0 until 2).map(lists(i, _)).toVector),
    when(i % 7 != 0)((0 until 2).map(k => Some(Vector(Some(i + k.toLong), text("x" * (i % 3))))).toVector)
  )

  private def entry(i: Int): Option[Any] =
    when(i % 5 != 1)(Vector(when(i % 7 != 2)(i.toLong), text(s"t$i")))

  private def deep(i: Int, k: Int): Option[Any] = {
    val second = when(i % 6 != 5)(Vector(Some(-i.toLong)))
    Some(Vector(when((i + k) % 4 != 2)(Vector(Some(Vector(Some(i + k.toLong))), second)), Some(k.toLong)))
  }

  private def lists(i: Int, k: Int): Option[Any] =
    when((i + k) % 6 != 0)(
      Vector(Some(i.toLong), when(i % 5 != 2)((0 until (i + k) % 4).map(n => Some(n.toLong)).toVector))
    )
}
