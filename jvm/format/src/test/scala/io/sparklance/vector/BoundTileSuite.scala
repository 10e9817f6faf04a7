package io.sparklance.vector

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.Fixed32Block
import io.sparklance.schema.{Field, LogicalType}

class BoundTileSuite extends AnyFunSuite {
  private val rows = 100

  for (metric <- Seq(Metric.L2, Metric.Cosine, Metric.Dot); dimension <- Seq(1, 7, 64, 131))
    test(s"no sum is above the limit of its distance: ${metric.name}, $dimension items") {
      val random = new Random(dimension)
      for (offset <- Seq(0.0, 1000.0, 1e25); near <- Seq(1.0, 1e-3)) {
        val center = Array.fill(dimension)(random.nextGaussian() * 3 + offset)
        def vector = center.map(x => (x + random.nextGaussian() * near).toFloat.toDouble)
        check(metric, Vector.fill(37)(vector), Vector.fill(rows)(vector))
      }
    }

  for {
    metric <- Seq(Metric.L2, Metric.Cosine, Metric.Dot)
    norm <- Seq(0.1, 3e-2, 1e-2, 1e-15, 1e-20, 3e-23, 1.84e19)
  }
    test(s"no sum is above the limit of its distance: ${metric.name}, vectors of norm $norm") {
      for (dimension <- Seq(1, 7, 64, 131)) {
        val random = new Random(dimension)
        def items = Array.fill(dimension)(random.nextGaussian() * norm / math.sqrt(dimension))
        val center = items.map(x => math.signum(x) * norm / math.sqrt(dimension))
        def near = center.map(x => (x * (1 + random.nextGaussian() / 20)).toFloat.toDouble)
        def vector = items.map(_.toFloat.toDouble)
        check(metric, Vector.fill(37)(near), Vector.fill(rows)(near))
        check(metric, Vector.fill(37)(vector), Vector.fill(rows)(vector))
      }
    }

  private def blockOf(vectors: Vector[Array[Double]]): Fixed32Block = {
    val block = new Fixed32Block
    val items = vectors.flatten
    val at = block.extend(items.size)
    items.zipWithIndex.foreach { case (x, i) =>
      block.values(at + i) = java.lang.Float.floatToRawIntBits(x.toFloat)
    }
    block
  }

  private def check(metric: Metric, queries: Vector[Array[Double]], vectors: Vector[Array[Double]]) = {
    val kind = LogicalType.FixedSizeList(LogicalType.FloatingPoint(32), vectors.head.length)
    val column = VectorColumn.of(Field(0, "v", kind, nullable = true)).get
    val block = blockOf(vectors)
    val (tile, exact) = (BoundTile.of(column, metric, queries).get, VectorTile.of(column, metric, queries))
    val first = 3
    tile.load(block, first, rows - first)
    val known = queries.indices.map { query =>
      (0 until rows - first).map { row =>
        exact.load(block, first + row, 1)
        val out = new Array[Float](1)
        exact.distances(query, out)
        out.head
      }
    }
    val sums = Array.fill(BoundTile.QueriesAtOnce)(new Array[Float](tile.capacity))
    for (from <- Seq(0, BoundTile.QueriesAtOnce)) {
      tile.sums(from, sums)
      for (query <- from until math.min(queries.size, from + sums.length); row <- 0 until rows - first) {
        val distance = known(query)(row)
        assert(tile.distance(query, row).compareTo(distance) == 0, s"query $query, row $row")
        assert(!(sums(query - from)(row) > tile.limit(query, distance)), s"query $query, row $row, $distance")
      }
    }
  }

  test("few queries, and doubles and bits, have no bounds") {
    val kind = LogicalType.FixedSizeList(LogicalType.FloatingPoint(64), 2)
    val doubles = VectorColumn.of(Field(0, "v", kind, nullable = true)).get
    assert(BoundTile.of(doubles, Metric.L2, Vector.fill(9)(Array(1.0, 2.0))).isEmpty)
    val floats = doubles.copy(item = VectorItem.Float32)
    assert(BoundTile.of(floats, Metric.L2, Vector.fill(3)(Array(1.0, 2.0))).isEmpty)
    assert(BoundTile.of(floats, Metric.L2, Vector.fill(4)(Array(1.0, 2.0))).exists(_.capacity == 1024))
  }
}
