package io.sparklance.data

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.testkit.{Blocks, ColumnText, RandomColumns}

class ColumnCopySuite extends AnyFunSuite {

  /** Copies a column stretch by stretch, and looks at the copy before each of them. */
  private def copied(source: Column, target: Column, stretch: Int): Vector[String] = {
    (0 until source.length by stretch).foreach { from =>
      ColumnCopy.append(source, from, math.min(from + stretch, source.length), target)
      assert(target.length == target.nulls.length)
    }
    ColumnText.of(target, target.length)
  }

  test("values of all flat types are copied with their nulls, whatever stretches they are copied in") {
    for {
      field <- RandomColumns.fields(RandomColumns.types)
      nullShare <- Seq(0.0, 0.6)
      stretch <- Seq(1, 7, 1000)
    } {
      val column = RandomColumns.column(field)
      RandomColumns.fill(column, field, 100, RandomColumns.Anything, nullShare, new Random(3))
      assert(copied(column, RandomColumns.column(field), stretch) == ColumnText.of(column, 100))
    }
  }

  test("chosen values are copied with their nulls, after existing values") {
    val random = new Random(4)
    for {
      field <- RandomColumns.fields(RandomColumns.types)
      nullShare <- Seq(0.0, 0.6)
      keptShare <- Seq(0.1, 0.5, 1.0)
    } {
      val column = RandomColumns.column(field)
      RandomColumns.fill(column, field, 100, RandomColumns.Anything, nullShare, random)
      val all = ColumnText.of(column, 100)
      val target = RandomColumns.column(field)
      val chosen = Seq.fill(2)((0 until 93).filter(_ => random.nextDouble() < keptShare).toArray)
      chosen.foreach(c => ColumnGather.append(column, 7, c ++ Array(0), c.length, target))
      assert(ColumnText.of(target, target.length) == chosen.flatten.map(i => all(i + 7)))
      assert(target.length == target.nulls.length)
    }
  }

  test("lists of structs of lists are copied from any row on, after existing values") {
    val item = ValueShape.FixedWidth(32)
    def nested = new Column(new ListBlock(new Column(new StructBlock(
      Vector(Column.forShape(item), new Column(new ListBlock(Column.forShape(ValueShape.VariableWidth(32)))))
    ))))
    def row(i: Int): Option[Any] = Option.when(i % 4 != 1)(Seq.tabulate(i % 3) { j =>
      Option.when(j != 1)(
        Seq(
          Option.when(i % 5 > 0)(i * 10 + j),
          Some(Seq.fill(j + 1)(Option.when(i % 2 == 0)(s"t$i".getBytes.toSeq)))
        )
      )
    })
    val source = nested
    (0 until 40).foreach(i => Blocks.appendRow(source, row(i)))
    val all = ColumnText.of(source, 40)
    Seq(1, 6, 40).foreach(stretch => assert(copied(source, nested, stretch) == all))
    val part = nested
    ColumnCopy.append(source, 10, 20, part)
    ColumnCopy.append(source, 5, 6, part)
    assert(ColumnText.of(part, 11) == all.slice(10, 20) :+ all(5))
  }

  test("flags that stand behind a mask's end do not come back") {
    val nulls = new NullMask
    nulls.appendNull(10)
    nulls.clear()
    val source = new NullMask
    source.appendValid(3)
    source.appendNull(1)
    nulls.append(source, 1, 2)
    nulls.append(source, 2, 2)
    assert((0 until 4).map(nulls.isNull) == Seq(false, false, false, true) && nulls.count == 1)
  }

  test("a column of another shape is refused") {
    val words = new Column(Blocks.words(32, Seq(1)))
    words.nulls.appendValid(1)
    intercept[IllegalArgumentException](ColumnCopy.append(words, 0, 1, new Column(new Fixed64Block)))
  }
}
