package io.sparklance.index.vector

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.vector.{DistanceRange, Metric, NearestHeap}

/** Searches for many queries together find the same rows and distances as those for each query alone. */
class ProductBatchSuite extends AnyFunSuite {
  private val dimension = 24
  private val rows = 1500
  private val mask = new AddressMask(Map(0L -> LiveFragment(rows.toLong - 100, None)), None)

  for {
    metric <- Seq(Metric.L2, Metric.Cosine, Metric.Dot)
    (parts, bits) <- Seq((6, 8), (3, 8), (12, 4), (2, 4))
    isTransposed <- Seq(true, false)
  }
    test(
      s"$parts parts of $bits bits, ${metric.name}, ${if (isTransposed) "byte by byte" else "row by row"}"
    ) {
      val random = new Random(parts * 31 + bits)
      for (offset <- Seq(0f, 300f); k <- Seq(1, 20, 5000)) {
        val model =
          indexOf(random, metric, Quantizer.Product(parts, bits, book(random, bits), isTransposed), offset)
        check(model, random, DistanceRange.all, k, offset)
      }
      val model =
        indexOf(random, metric, Quantizer.Product(parts, bits, book(random, bits), isTransposed), 0f)
      check(model, random, DistanceRange(Some(1f), Some(40f)), 30, 0f)
    }

  for (norm <- Seq(1f, 0.03f, 0.01f, 0.003f))
    test(s"vectors of norm $norm in 96 parts, by dot") {
      val random = new Random(96)
      val scale = norm / math.sqrt(96).toFloat
      val form = Quantizer.Product(96, 8, book(random, 8, 96, scale), isTransposed = true)
      val model = VectorIndex(
        "IVF_PQ",
        Metric.Dot,
        96,
        new Array[Float](2 * 96),
        PartitionRows(Array(0L, rows.toLong), Array(rows, rows)),
        form,
        None
      )
      check(model, random, DistanceRange.all, 10, 0f, scale)
    }

  test("numbers that are not finite change nothing") {
    val random = new Random(3)
    for (bad <- Seq(Float.NaN, Float.PositiveInfinity, 1e30f, 0f)) {
      val entries = book(random, 8)
      entries(5) = bad
      val model = indexOf(random, Metric.L2, Quantizer.Product(6, 8, entries, isTransposed = true), 0f)
      check(model, random, DistanceRange.all, 10, 0f)
      check(model.copy(centroids = model.centroids.updated(3, bad)), random, DistanceRange.all, 10, 0f)
      check(model, random, DistanceRange.all, 10, bad)
    }
  }

  private def book(random: Random, bits: Int, items: Int = dimension, scale: Float = 1f): Array[Float] =
    Array.fill(items << bits)(random.nextGaussian().toFloat * scale)

  private def indexOf(random: Random, metric: Metric, form: Quantizer.Product, offset: Float): VectorIndex =
    VectorIndex(
      "IVF_PQ",
      metric,
      dimension,
      Array.fill(2 * dimension)(random.nextGaussian().toFloat * 3 + offset),
      PartitionRows(Array(0L, rows.toLong), Array(rows, rows)),
      form,
      None
    )

  private def check(
      model: VectorIndex,
      random: Random,
      range: DistanceRange,
      k: Int,
      offset: Float,
      scale: Float = 3f
  ): Unit = {
    val product = model.quantizer match {
      case form: Quantizer.Product => form
      case other => fail(s"$other")
    }
    val queries = Vector.fill(11)(Array.fill(model.dimension)(random.nextGaussian().toFloat * scale + offset))
    val batch = new ProductBatch(model, product, queries, range, mask)
    val heaps = queries.map(_ => new NearestHeap(k))
    val alone = queries.map(_ => new NearestHeap(k))
    for (partition <- 0 to 1) {
      val codes = new Array[Byte](rows * product.width)
      random.nextBytes(codes)
      val ids = Array.range(0, rows).map(_.toLong)
      val numbers = queries.indices.filter(i => i % 3 != partition).toArray
      batch.search(partition, ids, codes, numbers, heaps)
      numbers.foreach(i => searchAlone(model, product, partition, codes, queries(i), range, alone(i)))
    }
    heaps.zip(alone).zipWithIndex.foreach { case ((some, other), i) =>
      val (a, b) = (some.drain(), other.drain())
      assert(a.addresses.toVector == b.addresses.toVector, s"query $i, k = $k, offset $offset")
      assert(a.distances.toVector == b.distances.toVector)
    }
  }

  private def searchAlone(
      model: VectorIndex,
      product: Quantizer.Product,
      partition: Int,
      codes: Array[Byte],
      query: Array[Float],
      range: DistanceRange,
      heap: NearestHeap
  ): Unit = {
    val isDot = model.metric == Metric.Dot
    val distances = new ProductDistances(product, model.dimension)
    val out = new Array[Float](rows)
    distances.prepare(if (isDot) query else model.residual(query, partition), isDot)
    distances.distances(codes, rows, isDot, out)
    out.indices.foreach { row =>
      val address = mask.address(row.toLong)
      if (address >= 0 && range.contains(out(row))) heap.offer(out(row), address)
    }
  }
}
