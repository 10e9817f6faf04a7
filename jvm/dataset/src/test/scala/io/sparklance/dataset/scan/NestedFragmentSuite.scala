package io.sparklance.dataset.scan

import java.nio.file.{Files, Paths}

import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{Column, Fixed32Block, ListBlock, RowRanges, StructBlock}
import io.sparklance.file.{FileColumns, FileReader}
import io.sparklance.schema.LogicalType.{Integer, List => ListType, Struct, Utf8}
import io.sparklance.schema.{Field, Leaf}
import io.sparklance.testkit.{Blocks, Hostile, MemoryStore}
import io.sparklance.{LanceFormatException, Location, UnsupportedLanceFeatureException}

/** Nested columns of files of pylance, which tests/golden/generate.py made, and what becomes of their parts.
  */
class NestedFragmentSuite extends AnyFunSuite {
  import NestedFragmentSuite._

  for (version <- Seq("2.1", "2.2")) {
    val golden = Files.readAllBytes(Paths.get(s"tests/golden/nested_$version.lance").toAbsolutePath)

    test(s"$version: lists and structs are read as they were written, in any batches") {
      for (batch <- Seq(1, 7, 1000))
        assert(read(golden, identity, batch = batch) == (0 until Rows).map(row))
    }

    test(s"$version: any stretch of rows can be read alone") {
      for ((start, end) <- Seq((0, 1), (3, 4), (7, 31), (49, 51), (50, 120), (60, 119), (119, 120), (5, 5)))
        assert(
          read(golden, identity, RowRanges(start.toLong, end.toLong), 16) == (start until end).map(row)
        )
    }

    test(s"$version: scattered rows can be read, in any batches") {
      for (step <- Seq(2, 3, 17, 40); width <- Seq(1, 2, 5); batch <- Seq(1, 7, 1000)) {
        val wanted = (0 until Rows).filter(_ % step < width)
        val rows = RowRanges.ofRows(wanted.map(_.toLong).toArray)
        assert(read(golden, identity, rows, batch) == wanted.map(row))
      }
    }

    test(s"$version: the fields of a struct come in the order in which they are wanted") {
      val rows = read(golden, fields => Vector(within(fields(3), "item")(_.reverse), fields(0)))
      assert(rows == (0 until Rows).map { i =>
        val structs = row(i)(3).map(_.asInstanceOf[Seq[Option[Seq[Any]]]].map(_.map(_.reverse)))
        Vector(structs, row(i)(0))
      })
    }

    test(s"$version: a field that no file has is null, in structs that are as they were") {
      val rows = read(golden, fields => Vector(within(fields(3), "item")(later +: _.take(1))))
      assert(rows == (0 until Rows).map { i =>
        Vector(row(i)(3).map(_.asInstanceOf[Seq[Option[Seq[Any]]]].map(_.map(s => Vector(None, s.head)))))
      })
    }

    test(s"$version: where only such a field is wanted, a witness tells of the structs around it") {
      val only = read(golden, fields => Vector(within(fields(3), "item")(_ => Vector(later))))
      assert(only == (0 until Rows).map { i =>
        Vector(row(i)(3).map(_.asInstanceOf[Seq[Option[Any]]].map(_.map(_ => Vector(None)))))
      })
      val nowhere =
        read(golden, _ => Vector(later.copy(name = "s", logicalType = Struct, children = Vector(later))))
      assert(nowhere == Vector.fill(Rows)(Vector(None)))
    }

    test(s"$version: whichever byte is wrong, rows are read in full or refused") {
      Hostile.flipping(golden, step = 7) { bytes =>
        try {
          val rows = LanceFormatException.locating(Location())(read(bytes, identity, schemaOf = golden))
          val _ = assert(rows.size == Rows)
        } catch { case _: LanceFormatException | _: UnsupportedLanceFeatureException => () }
      }
    }
  }

  test("a chunk may have more levels than its header can count, as pylance 6.0.1 wrote them") {
    val golden = Files.readAllBytes(Paths.get("tests/golden/levels_6.0.1.lance").toAbsolutePath)
    def row(i: Int): Vector[Option[Any]] =
      Vector(Some(if (i < 20000) Vector(Some(i % 2L)) else if (i < 86000) Vector() else Vector(Some(5L))))
    for ((start, end) <- Seq((0, 86001), (19999, 20002), (85999, 86001), (40000, 40007)))
      assert(
        read(golden, identity, RowRanges(start.toLong, end.toLong), 5000, physicalRows = 86001) ==
          (start until end).map(row)
      )
  }

  private val numbers = Integer(32, signed = true)
  private val a = Field(2, "a", numbers, nullable = true)
  private val b = Field(3, "b", numbers, nullable = true)

  private def assembled(outer: Field, parts: LeafPart*): Column =
    new ColumnAssembly(outer, parts.toVector, Map.empty).column(parts.head.column.length)

  private def ints(values: Option[Long]*): Column = {
    val column = new Column(new Fixed32Block)
    values.foreach { v =>
      column.values match {
        case block: Fixed32Block => block.append(v.getOrElse(0L).toInt)
        case other => fail(s"$other")
      }
      if (v.isEmpty) column.nulls.appendNull(1) else column.nulls.appendValid(1)
    }
    column
  }

  test("leaves whose lists differ are bad data") {
    val item = Field(1, "item", Struct, nullable = true, Vector(a, b))
    val lists = Field(0, "l", ListType(large = false, ofStruct = true), nullable = true, Vector(item))
    def part(leaf: Field, sizes: Int*): LeafPart = {
      val structs = new StructBlock(Vector(ints(Seq.fill(sizes.sum)(Some(1L)): _*)))
      structs.advance(sizes.sum)
      val inside = new Column(structs)
      inside.nulls.appendValid(sizes.sum)
      val block = new ListBlock(inside)
      block.reserve(sizes.size)
      sizes.scanLeft(0)(_ + _).zipWithIndex.foreach { case (end, i) => block.offsets(i) = end }
      block.advance(sizes.size)
      val column = new Column(block)
      column.nulls.appendValid(sizes.size)
      LeafPart(Leaf(Vector(lists, item), leaf), source("f"), column)
    }
    assert(Blocks.rows(assembled(lists, part(a, 1, 2), part(b, 1, 2))).flatten.size == 2)
    val error = intercept[LanceFormatException](assembled(lists, part(a, 1, 2), part(b, 2, 1)))
    assert(error.reason == "columns l.item.a and l.item.b have different nulls or lists around them")
  }

  test("structs whose nulls differ are bad data in one file, and valid if any of several files has them so") {
    val struct = Field(0, "s", Struct, nullable = true, Vector(a, b))
    def part(leaf: Field, file: String, isNull: Boolean*): LeafPart = {
      val block = new StructBlock(Vector(ints(isNull.map(n => Option.unless(n)(5L)): _*)))
      block.advance(isNull.size)
      val column = new Column(block)
      isNull.foreach(n => if (n) column.nulls.appendNull(1) else column.nulls.appendValid(1))
      LeafPart(Leaf(Vector(struct), leaf), source(file), column)
    }
    val five = Some(5L)
    assert(
      Blocks.rows(assembled(struct, part(a, "f", false, true, true), part(b, "g", true, false, true))) ==
        Vector(Some(Vector(five, None)), Some(Vector(None, five)), None)
    )
    intercept[LanceFormatException](assembled(struct, part(a, "f", false), part(b, "f", true)))
  }
}

private object NestedFragmentSuite {
  final val Rows = 120
  val later: Field = Field(99, "later", Utf8(large = false), nullable = true)

  private def source(path: String): FileSource = FileSource(path, None, Vector.empty, Vector.empty)

  private def ints(i: Int): Option[Vector[Option[Any]]] =
    Option.unless(i % 7 == 3)(
      (0 until i % 4).map(j => Option.unless((i + j) % 5 == 4)(i * 10L + j)).toVector
    )
  private def text(value: String): Option[Any] = Some(value.getBytes("UTF-8").toVector)

  /** Row `i` as the generator makes it: ints, texts, deep, structs, struct. */
  def row(i: Int): Vector[Option[Any]] = Vector(
    ints(i),
    Some((0 until i % 3).map(j => text(s"$i-$j")).toVector),
    Option.unless(i % 11 == 5)(
      (0 until i % 4)
        .map(j => Option.unless((i + j) % 6 == 5)((0 until j).map(k => Some(i + j + k.toLong)).toVector))
        .toVector
    ),
    Some(
      (0 until i % 3)
        .map(j => Some(Vector(Some(i + j.toLong), Some((0 until j).map(k => text(s"$i.$j.$k")).toVector))))
        .toVector
    ),
    Some(Vector(Some(i.toLong), ints(i)))
  )

  /** A field of which the one named `name` somewhere inside has other fields. */
  def within(field: Field, name: String)(change: Vector[Field] => Vector[Field]): Field =
    if (field.name == name) field.copy(children = change(field.children))
    else field.copy(children = field.children.map(within(_, name)(change)))

  /** @param projection
    *   of the file's fields
    * @param schemaOf
    *   a file whose schema is good
    */
  def read(
      file: Array[Byte],
      projection: Vector[Field] => Vector[Field],
      rows: RowRanges = RowRanges(0, Rows.toLong),
      batch: Int = 1000,
      schemaOf: Array[Byte] = Array.emptyByteArray,
      physicalRows: Int = Rows
  ): Vector[Vector[Option[Any]]] = {
    val store = new MemoryStore
    put(store, "f", file)
    put(store, "schema", if (schemaOf.isEmpty) file else schemaOf)
    val fields = Using.resource(FileReader.open(store, "schema", None))(_.schema.fields)
    val leaves = fields.flatMap(FileColumns.leaves).map(_.field.id)
    val source = FileSource("f", None, leaves, leaves.indices.toVector)
    val wanted = projection(fields)
    val witnesses = wanted.flatMap { field =>
      val whole = fields.find(_.id == field.id).getOrElse(field)
      Witnesses.of(whole, field, f => leaves.contains(f.id)).map(_.only)
    }
    val task = FragmentTask(0, Vector(source), physicalRows.toLong, None, rows, wanted, witnesses)
    Using.resource(FragmentReader.open(store, task, batch)) { reader =>
      Iterator
        .continually(reader.next())
        .takeWhile(identity)
        .flatMap(_ => reader.columns.map(c => Blocks.rows(c).take(reader.rowCount)).transpose)
        .toVector
    }
  }

  private def put(store: MemoryStore, path: String, bytes: Array[Byte]): Unit = {
    val file = store.create(path)
    file.stream.write(bytes)
    file.commit()
  }
}
