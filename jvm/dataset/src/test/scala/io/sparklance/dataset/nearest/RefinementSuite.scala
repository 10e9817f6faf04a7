package io.sparklance.dataset.nearest

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{Column, Fixed64Block, FixedSizeListBlock}
import io.sparklance.testkit.Blocks
import io.sparklance.vector.VectorTileSuite._
import io.sparklance.vector.{DistanceRange, Metric, NearestSpec, Neighbors, Query, VectorItem, VectorTile}

/** Rows that an index found get their exact distances. */
class RefinementSuite extends AnyFunSuite {
  private val dimension = 5
  private val random = new Random(3)
  private val stored = Vector.fill(600)(Vector.fill(dimension)(sample(VectorItem.Float32, random)))
  private val queries = Vector.fill(2)(Vector.fill(dimension)(sample(VectorItem.Float32, random)))
  private val spec = NearestSpec(
    vectors(VectorItem.Float32, dimension),
    Metric.L2,
    queries.map(q => new Query(Vector(q.toArray))),
    4
  )

  private def found(rows: Seq[Option[Seq[Double]]], first: Long): FoundVectors = {
    val column = new Column(new FixedSizeListBlock(dimension, block(VectorItem.Float32, Nil)))
    rows.foreach(row => Blocks.appendRow(column, row.map(_.map(bits(VectorItem.Float32, _)))))
    val addresses = new Fixed64Block
    val at = addresses.extend(rows.size)
    rows.indices.foreach(i => addresses.values(at + i) = first + i)
    val all = new FoundVectors(Refinement.empty(column))
    all.add(column, new Column(addresses), rows.size)
    all
  }

  private def nearest(all: FoundVectors, spec: NearestSpec, query: Int, rows: Array[Long]): Neighbors = {
    val tile = VectorTile.of(spec.column, spec.metric, spec.queries.flatMap(_.vectors))
    all.nearest(tile, spec, query, Neighbors(rows, new Array[Float](rows.length)))
  }

  test("the nearest of some rows, for each query its own") {
    val all = found(stored.map(Some(_)), 1000)
    for (query <- queries.indices; step <- Seq(1, 7)) {
      val rows = stored.indices.by(step).map(_ + 1000L).toArray
      val exact =
        rows.map(row => distance(Metric.L2, stored((row - 1000).toInt), queries(query)) -> row).sorted
      val answer = nearest(all, spec, query, rows.reverse)
      assert(answer.addresses.toVector == exact.take(4).map(_._2).toVector)
      answer.distances.zip(exact).foreach { case (d, (wanted, _)) =>
        assert(math.abs(d - wanted) <= 1e-4 * (1 + wanted))
      }
    }
  }

  test("rows without a vector, out of the range, or unknown are left out") {
    val rows = Vector(Some(Vector(3.0, 0, 0, 0, 0)), None, Some(Vector(1.0, 0, 0, 0, 0)))
    val origin = spec.copy(queries = Vector(new Query(Vector(new Array[Double](dimension)))))
    val all = found(rows, 0)
    assert(nearest(all, origin, 0, Array(0, 1, 2, 77)).addresses.toVector == Vector(2L, 0L))
    val ranged = origin.copy(range = DistanceRange(Some(2f), None))
    assert(nearest(all, ranged, 0, Array(0, 1, 2)).addresses.toVector == Vector(0L))
  }
}
