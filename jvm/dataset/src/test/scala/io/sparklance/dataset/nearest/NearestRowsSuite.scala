package io.sparklance.dataset.nearest

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{Column, Fixed32Block, FixedSizeListBlock, ListBlock}
import io.sparklance.vector.VectorTileSuite._
import io.sparklance.vector.{DistanceRange, Metric, NearestSpec, Neighbors, Query, VectorItem}

/** The rows kept are those that a sort of all distances puts first. */
class NearestRowsSuite extends AnyFunSuite {
  import NearestRowsSuite._

  test("rows of many batches and tiles, for several queries") {
    val random = new Random(5)
    for (item <- items; metric <- item.metrics; dimension <- Seq(3, 700)) {
      val stored = Vector.fill(300)(Vector.fill(dimension)(sample(item, random)))
      val queries = Vector.fill(3)(Vector.fill(dimension)(sample(item, random)))
      val spec =
        NearestSpec(vectors(item, dimension), metric, queries.map(q => new Query(Vector(q.toArray))), 7)
      val nearest = NearestRows.of(spec)
      stored.grouped(110).zipWithIndex.foreach { case (batch, i) =>
        nearest.add(
          column(item, dimension, batch.map(Some(_))),
          Array.tabulate(batch.size)(row => i * 110L + row),
          batch.size,
          new Array(batch.size)
        )
      }
      nearest.answers.zip(queries).foreach { case (found, query) =>
        val all = stored.map(distance(metric, _, query))
        val nth = all.sorted.apply(6)
        val slack = 1e-4 * dimension * (1 + math.abs(nth))
        assert(found.size == 7 && found.addresses.distinct.length == 7)
        found.addresses.zip(found.distances).foreach { case (row, d) =>
          assert(math.abs(all(row.toInt) - d) <= slack && d <= nth + slack)
        }
        assert(found.distances.toVector == found.distances.sorted.toVector)
      }
    }
  }

  test("nulls, NaN, vectors with nulls, and dropped rows are left out") {
    val nearest = NearestRows.of(spec(10))
    val block = column(
      VectorItem.Float32,
      2,
      Vector(Some(Vector(0, 0)), None, Some(Vector(Double.NaN, 1)), Some(Vector(3, 0)), Some(Vector(0, 1)))
    )
    block.values match {
      case lists: FixedSizeListBlock =>
        // The last vector's second item is null.
        lists.itemNulls.truncate(9)
        lists.itemNulls.appendNull(1)
      case _ => fail()
    }
    nearest.add(block, Array(10, 11, 12, 13, 14), 5, Array(true, false, false, false, false))
    assert(rows(nearest.answers.head) == Vector(13L -> 9f))
  }

  test("rows behind those of the batch are not looked at") {
    val nearest = NearestRows.of(spec(10))
    nearest.add(
      column(VectorItem.Float32, 2, Vector(Some(Vector(1, 0)), Some(Vector(0, 0)))),
      Array(4),
      1,
      Array(false)
    )
    assert(rows(nearest.answers.head) == Vector(4L -> 1f))
  }

  test("distances lie in the range, its end excluded") {
    def found(lower: Option[Float], upper: Option[Float]): Vector[Long] = {
      val nearest = NearestRows.of(spec(2).copy(range = DistanceRange(lower, upper)))
      val stored = (0 to 4).map(i => Some(Vector(i.toDouble, 0.0)))
      nearest.add(column(VectorItem.Float32, 2, stored), Array(0, 1, 2, 3, 4), 5, new Array(5))
      nearest.answers.head.addresses.toVector
    }
    assert(found(None, None) == Vector(0, 1))
    assert(found(Some(1f), None) == Vector(1, 2))
    assert(found(None, Some(1f)) == Vector(0))
    assert(found(Some(4f), Some(9f)) == Vector(2))
    assert(found(Some(5f), Some(5f)).isEmpty)
  }

  test("an infinite distance is below no end of a range") {
    def found(range: DistanceRange): Int = {
      val nearest = NearestRows.of(spec(5).copy(range = range))
      nearest.add(
        column(VectorItem.Float32, 2, Vector(Some(Vector(Double.PositiveInfinity, 0)))),
        Array(0),
        1,
        new Array(1)
      )
      nearest.answers.head.size
    }
    assert(found(DistanceRange.all) == 1)
    assert(found(DistanceRange(None, Some(Float.PositiveInfinity))) == 0)
  }

  test("a row of several vectors has the sum of the distances nearest to each query vector") {
    val multi = vectors(VectorItem.Float32, 2).copy(isMulti = true)
    val both = new Query(Vector(Array(1.0, 0.5), Array(0.0, 1.0)))
    val one = new Query(Vector(Array(1.0, 0.5)))
    val lists = new ListBlock(new Column(new FixedSizeListBlock(2, new Fixed32Block)))
    val rowsOf = new Column(lists)
    def add(vectors: Option[Vector[Double]]*): Unit = {
      vectors.foreach(v => appendVector(VectorItem.Float32, lists.items, v))
      lists.endList()
      rowsOf.nulls.appendValid(1)
    }
    add(Some(Vector(1, 0)), Some(Vector(0, 1)))
    add(Some(Vector(1, 1)))
    add()
    rowsOf.appendNulls(1)
    add(None, Some(Vector(1, 1)), Some(Vector(Double.NaN, 1)))
    val nearest = NearestRows.of(NearestSpec(multi, Metric.L2, Vector(both, one), 10))
    nearest.add(rowsOf, Array(0, 1, 2, 3, 4), 5, new Array(5))
    val answers = nearest.answers
    assert(rows(answers.head) == Vector(0L -> 0.25f, 1L -> 1.25f, 4L -> 1.25f))
    assert(rows(answers(1)) == Vector(0L -> 0.25f, 1L -> 0.25f, 4L -> 0.25f))
  }
}

private object NearestRowsSuite {
  private def spec(k: Int): NearestSpec =
    NearestSpec(vectors(VectorItem.Float32, 2), Metric.L2, Vector(new Query(Vector(Array(0.0, 0.0)))), k)

  private def rows(found: Neighbors): Vector[(Long, Float)] = found.addresses.zip(found.distances).toVector

  private def column(item: VectorItem, dimension: Int, rows: Seq[Option[Seq[Double]]]): Column = {
    val items = block(item, Nil)
    val made = new Column(new FixedSizeListBlock(dimension, items))
    rows.foreach(appendVector(item, made, _))
    made
  }

  private def appendVector(item: VectorItem, to: Column, vector: Option[Seq[Double]]): Unit =
    io.sparklance.testkit.Blocks.appendRow(to, vector.map(_.map(bits(item, _))))
}
