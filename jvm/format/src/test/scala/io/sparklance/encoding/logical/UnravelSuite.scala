package io.sparklance.encoding.logical

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.LanceFormatException
import io.sparklance.data.{Column, Fixed32Block, ListBlock, StructBlock}
import io.sparklance.encoding.{Layers, Levels}
import io.sparklance.proto.encodings.RepDefLayer
import io.sparklance.testkit.Shredder.{List => Lists, Nesting, Shredded, Struct}
import io.sparklance.testkit.{Blocks, Shredder}

/** The examples are levels of files that pylance 14.0.2 wrote. */
class UnravelSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  private def columns(path: Seq[Nesting]): Vector[Column] =
    path.reverseIterator
      .scanLeft(new Column(new Fixed32Block)) { (inside, kind) =>
        new Column(if (kind == Struct) new StructBlock(Vector(inside)) else new ListBlock(inside))
      }
      .toVector

  private def append(shredded: Shredded, to: Vector[Column]): Unit = {
    to.head.values match {
      case leaf: Fixed32Block => shredded.values.foreach(leaf.append)
      case other => fail(s"$other")
    }
    new Unravel().append(shredded.levels, Layers.parse(shredded.layers), to, shredded.values.length)
  }

  private def unravel(shredded: Shredded, path: Nesting*): Vector[Option[Any]] = {
    val all = columns(path)
    append(shredded, all)
    Blocks.rows(all.last)
  }

  private def layers(numbers: Int*): Seq[RepDefLayer] = numbers.map(RepDefLayer.fromValue)

  /** Ints as blocks give them back. */
  private def asRead(value: Any): Any = value match {
    case Some(inner) => Some(asRead(inner))
    case items: Seq[_] => items.map(asRead).toVector
    case i: Int => i.toLong
    case other => other
  }

  private def list(items: Any*): Option[Any] = Some(items.map {
    case i: Int => Some(i)
    case other => other
  })

  test("lists of lists") {
    val shredded = Shredded(
      Seq(2, 0, 1, 2, 2, 2, 1, 2),
      Seq(0, 0, 3, 4, 5, 2, 0, 1),
      layers(3, 6, 6),
      Seq(1, 2, 3, 0)
    )
    val rows = Seq(list(list(1, 2), list()), None, list(), list(None, list(3)), list(list(None)))
    assert(unravel(shredded, Lists, Lists) == rows.map(asRead))
    assert(Shredder.shred(rows, Seq(Lists, Lists), layers(3, 6, 6)) == shredded)
  }

  test("lists of structs") {
    val shredded =
      Shredded(Seq(1, 0, 0, 1, 1, 1), Seq(0, 2, 1, 3, 4, 0), layers(3, 3, 6), Seq(1, 0, 0, 5))
    val rows = Seq(list(list(1), None, list(None)), None, list(), list(list(5)))
    assert(unravel(shredded, Lists, Struct) == rows.map(asRead))
    assert(Shredder.shred(rows, Seq(Lists, Struct), layers(3, 3, 6)) == shredded)
  }

  test("structs of lists") {
    val shredded =
      Shredded(Seq(1, 1, 1, 1, 1, 0), Seq(0, 4, 2, 3, 1, 0), layers(3, 6, 3), Seq(1, 0, 2))
    val rows = Seq(list(list(1)), None, list(None), list(list()), list(list(None, 2)))
    assert(unravel(shredded, Struct, Lists) == rows.map(asRead))
    assert(Shredder.shred(rows, Seq(Struct, Lists), layers(3, 6, 3)) == shredded)
  }

  private val nullable: Gen[Boolean] = Gen.frequency(1 -> true, 4 -> false)

  private def value(path: List[Nesting]): Gen[Option[Any]] = nullable.flatMap {
    case true => Gen.const(None)
    case false =>
      path match {
        case Nil => Gen.choose(1, 1000).map(Some(_))
        case Struct :: inner => value(inner).map(v => Some(Seq(v)))
        case _ :: inner => Gen.choose(0, 3).flatMap(n => Gen.listOfN(n, value(inner))).map(Some(_))
      }
  }

  private val nested: Gen[(List[Nesting], List[Option[Any]])] = for {
    depth <- Gen.choose(1, 5)
    path <- Gen.listOfN(depth, Gen.oneOf[Nesting](Struct, Lists))
    n <- Gen.choose(1, 20)
    rows <- Gen.listOfN(n, value(path))
  } yield (path, rows)

  test("all shredded values come back, with only the needed layers or with all") {
    forAll(nested, minSuccessful(500)) { case (path, rows) =>
      for (kinds <- Seq(Shredder.layersOf(rows, path), Shredder.mostLayers(path)))
        assert(unravel(Shredder.shred(rows, path, kinds), path: _*) == rows.map(asRead))
    }
  }

  test("pages with other layers follow on each other") {
    forAll(nested) { case (path, rows) =>
      val all = columns(path)
      append(Shredder.shred(rows, path, Shredder.layersOf(rows, path)), all)
      append(Shredder.shred(rows.reverse, path, Shredder.mostLayers(path)), all)
      assert(Blocks.rows(all.last) == (rows ++ rows.reverse).map(asRead))
    }
  }

  test("structs inside of null ones are null, whatever their own layer says") {
    val shredded = Shredded(Seq(0, 0), Seq(0, 1), layers(1, 1, 3), Seq(7, 8))
    val all = columns(Seq(Struct, Struct))
    append(shredded, all)
    assert(all.map(_.nulls.orNull.take(2).toSeq) == Vector.fill(3)(Seq(false, true)))
  }

  test("levels that contradict each other are bad data") {
    def refusal(rep: Seq[Int], definition: Seq[Int], kinds: Seq[RepDefLayer], values: Int, path: Nesting*) =
      intercept[LanceFormatException](
        unravel(Shredded(rep, definition, kinds, Seq.fill(values)(0)), path: _*)
      ).reason
    assert(refusal(Seq(0), Seq(0), layers(3, 6), 1, Lists) == "a slot continues a list that never started")
    assert(refusal(Seq(1, 0), Seq(2, 0), layers(3, 6), 1, Lists) ==
      "a slot continues a list that never started")
    assert(refusal(Seq(1, 0), Seq(0, 3), layers(3, 6), 1, Lists) == "definition level 3 within a list")
    assert(refusal(Seq(1, 0), Seq(0, 0), layers(3, 6), 1, Lists) == "1 values have levels for 2")
    assert(refusal(Seq(1), Seq(0), layers(3, 6, 3), 1, Lists) == "a page of 3 layers in a column of 2")
    assert(refusal(Seq(1), Seq(0), layers(3, 6), 1, Struct).endsWith("for a StructBlock"))
    assert(refusal(Seq(0), Seq(0), layers(3, 3), 1, Lists).endsWith("for a ListBlock"))
  }

  test("any levels give as many rows as they start, or an error") {
    val slot = Gen.zip(Gen.choose(0, 3), Gen.choose(0, 6))
    forAll(Gen.nonEmptyListOf(slot), nested.map(_._1), minSuccessful(300)) { (slots, path) =>
      val levels = new Levels
      slots.foreach { case (r, d) =>
        val at = levels.extend(1)
        levels.repetition(at) = r.toShort
        levels.definition(at) = d.toShort
      }
      levels.hasRepetition = path.contains(Lists)
      levels.hasDefinition = true
      val all = columns(path)
      val parsed = Layers.parse(Shredder.mostLayers(path))
      val visible = levels.visible(0, levels.length, parsed.maxVisible)
      all.head.values.appendSlots(visible)
      try {
        new Unravel().append(levels, parsed, all, visible)
        val lists = path.count(_ == Lists)
        val starts = slots.count { case (r, _) => r >= lists }
        assert(Blocks.rows(all.last).length <= starts)
      } catch { case _: LanceFormatException => () }
    }
  }
}
