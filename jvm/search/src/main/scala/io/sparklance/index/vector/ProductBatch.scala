package io.sparklance.index.vector

import io.sparklance.vector.{DistanceRange, Metric, NearestHeap}

/** Searches partitions in product quantization for many queries together.
  *
  * Most rows are far from a query, which a lower bound of their distances shows: [[ProductSteps]] in whole
  * steps, 16 bits for each. A long has the steps of four queries, so one look-up and one addition do for
  * four.
  * {{{
  * long     63        48 47        32 31        16 15         0
  *          query 3      query 2      query 1      query 0
  * sum      (32767 - limit) + steps of the row + steps of the query for each byte of the code
  * }}}
  * The highest bit of a sum is set if it is above the limit of the query. Distances of the other rows are
  * computed as for a query alone. Belongs to one thread.
  *
  * @param queries
  *   of all that are searched for, prepared
  */
final private[vector] class ProductBatch(
    model: VectorIndex,
    quantizer: Quantizer.Product,
    queries: Vector[Array[Float]],
    range: DistanceRange,
    mask: RowMask
) {
  import ProductBatch._

  private val isDot = model.metric == Metric.Dot
  private val upper = range.upper.getOrElse(Float.PositiveInfinity)

  /** Share of the greatest summands by which sums of floats may be too large. */
  private val share = Slack + (quantizer.parts + model.dimension / quantizer.parts) * math.ulp(1f)

  /** By how much a sum of numbers near 1, one for each part, may be too large. */
  private val ones = if (isDot) quantizer.parts * (quantizer.parts + 3L) * math.ulp(0.25f) else 0f

  private val distances = new ProductDistances(quantizer, model.dimension)
  private val steps = new ProductSteps(model, quantizer)
  private val known = Array.fill(queries.size)(Option.empty[Option[QuerySteps]])
  private val packed = new Array[Long](quantizer.width * ProductSteps.Values)
  private val sums = new Array[Long](Block)
  private var constants = Array.emptyFloatArray
  private var constantSteps = Array.emptyLongArray

  /** Number of queries whose tables are in memory. */
  def tables: Int = known.count(_.isDefined)

  /** Forgets the tables of queries. */
  def clear(numbers: Range): Unit = numbers.foreach(known(_) = None)

  /** Offers the rows of a partition to the heaps of queries.
    *
    * @param codes
    *   of the rows
    * @param numbers
    *   of the queries
    * @param heaps
    *   of all queries
    */
  def search(
      partition: Int,
      ids: Array[Long],
      codes: Array[Byte],
      numbers: Array[Int],
      heaps: Vector[NearestHeap]
  ): Unit = {
    val rows = new Rows(ids, if (quantizer.isTransposed) codes else transposed(codes, ids.length))
    val lanes = numbers.iterator.map { number =>
      val query = queries(number)
      new Lane(heaps(number), if (isDot) query else model.residual(query, partition), number)
    }.filter(fill(rows, _)).toVector
    if (lanes.nonEmpty) {
      if (constants.length < ids.length) constants = new Array[Float](ids.length)
      steps.ofRows(partition, codes, ids.length, distances, constants)
      val bounds = Bounds.of(constants, ids.length)
      val (some, others) = lanes.partition(lane => table(lane.number).exists(_ => bounds.isFinite))
      others.foreach(compareAll(rows, _))
      some.groupBy(lane => table(lane.number).fold(0)(_.exponent)).foreach { case (exponent, alike) =>
        putConstants(ids.length, bounds.least, exponent)
        alike.grouped(Together).foreach(scan(rows, bounds, exponent, _))
      }
    }
  }

  private def table(number: Int): Option[QuerySteps] = known(number).getOrElse {
    val made = steps.ofQuery(queries(number))
    known(number) = Some(made)
    made
  }

  /** Compares rows until there is a limit. Returns whether rows are left. */
  private def fill(rows: Rows, lane: Lane): Boolean = {
    while (lane.first < rows.count && limit(lane).isInfinite) {
      compare(rows, lane, lane.first)
      lane.first += 1
    }
    lane.first < rows.count
  }

  private def compareAll(rows: Rows, lane: Lane): Unit =
    while (lane.first < rows.count) { compare(rows, lane, lane.first); lane.first += 1 }

  private def limit(lane: Lane): Float = math.min(lane.heap.bound, upper)

  private def compare(rows: Rows, lane: Lane, row: Int): Unit = {
    val address = mask.address(rows.ids(row))
    if (address >= 0) {
      val distance = distances.one(lane.query, rows.codes, rows.count, row, isDot)
      if (range.contains(distance)) lane.heap.offer(distance, address)
    }
  }

  /** Rounds the summands of rows down to whole steps, the same for all four queries. */
  private def putConstants(rows: Int, least: Float, exponent: Int): Unit = {
    if (constantSteps.length < rows) constantSteps = new Array[Long](rows)
    val scale = Math.scalb(1f, exponent)
    var row = 0
    while (row < rows) {
      val step = math.min(MostOfRow, ((constants(row) - least) * scale).toInt)
      constantSteps(row) = step * Each
      row += 1
    }
  }

  private def scan(rows: Rows, bounds: Bounds, exponent: Int, lanes: Vector[Lane]): Unit = {
    val four = lanes.toArray
    pack(four.map(lane => table(lane.number)))
    val bases = four.map(base(_, bounds))
    var first = four.iterator.map(_.first).min
    while (first < rows.count) {
      val count = math.min(Block, rows.count - first)
      addConstants(first, count, biases(four, bases, exponent))
      addCodes(rows, first, count)
      check(rows, four, first, count)
      first += count
    }
  }

  /** Puts the steps of up to four queries to the four parts of longs. */
  private def pack(some: Array[Option[QuerySteps]]): Unit = {
    java.util.Arrays.fill(packed, 0L)
    var lane = 0
    while (lane < some.length) {
      some(lane).foreach(table => add(table.values, 16 * lane))
      lane += 1
    }
  }

  private def add(values: Array[Long], shift: Int): Unit = {
    val n = packed.length
    var i = 0
    while (i < n) { packed(i) = packed(i) + (values(i) << shift); i += 1 }
  }

  /** Returns the distance of a row whose steps are all 0, less what rounding may add. */
  private def base(lane: Lane, bounds: Bounds): Double = {
    val own = if (isDot) 1.0 else RowSquare.of(lane.query)
    val range = table(lane.number).fold(0.0)(_.range)
    val slack = share * (range + own + math.abs(bounds.least) + math.abs(bounds.most)) + ones
    own + bounds.least - range / 2 - slack
  }

  /** Returns where the sums of the queries begin: rows within a limit then do not reach the highest bit. */
  private def biases(lanes: Array[Lane], bases: Array[Double], exponent: Int): Long = {
    var bias = 0L
    var i = 0
    while (i < Together) {
      val most =
        if (i < lanes.length) Math.floor((limit(lanes(i)) - bases(i)) * Math.scalb(1.0, exponent)) + 1
        else -1.0
      val own = if (most < 0) MostSteps + 1 else MostSteps - math.min(most, MostSteps.toDouble).toLong
      bias |= own << (16 * i)
      i += 1
    }
    bias
  }

  private def addConstants(first: Int, count: Int, bias: Long): Unit = {
    val (from, out) = (constantSteps, sums)
    var i = 0
    while (i < count) { out(i) = from(first + i) + bias; i += 1 }
  }

  private def addCodes(rows: Rows, first: Int, count: Int): Unit = {
    var byte = 0
    while (byte + 3 < quantizer.width) {
      addFour(rows.codes, byte * rows.count + first, rows.count, byte * ProductSteps.Values, count)
      byte += 4
    }
    while (byte < quantizer.width) {
      addOne(rows.codes, byte * rows.count + first, byte * ProductSteps.Values, count)
      byte += 1
    }
  }

  private def addFour(codes: Array[Byte], at: Int, apart: Int, base: Int, count: Int): Unit = {
    val (table, out) = (packed, sums)
    val b = at + apart
    val c = b + apart
    val d = c + apart
    var i = 0
    while (i < count) {
      out(i) = out(i) + table(base + (codes(at + i) & 0xff)) + table(base + 256 + (codes(b + i) & 0xff)) +
        (table(base + 512 + (codes(c + i) & 0xff)) + table(base + 768 + (codes(d + i) & 0xff)))
      i += 1
    }
  }

  private def addOne(codes: Array[Byte], at: Int, base: Int, count: Int): Unit = {
    val (table, out) = (packed, sums)
    var i = 0
    while (i < count) { out(i) = out(i) + table(base + (codes(at + i) & 0xff)); i += 1 }
  }

  /** Compares the rows of a block whose sums are not above a limit. */
  private def check(rows: Rows, lanes: Array[Lane], first: Int, count: Int): Unit = {
    var i = 0
    while (i < count) {
      val above = sums(i) & Highest
      if (above != Highest) {
        var lane = 0
        while (lane < lanes.length) {
          val isNear = (above >>> (16 * lane + 15) & 1L) == 0L
          if (isNear && first + i >= lanes(lane).first) compare(rows, lanes(lane), first + i)
          lane += 1
        }
      }
      i += 1
    }
  }

  private def transposed(codes: Array[Byte], rows: Int): Array[Byte] = {
    val width = quantizer.width
    val out = new Array[Byte](width * rows)
    var row = 0
    while (row < rows) {
      var byte = 0
      while (byte < width) { out(byte * rows + row) = codes(row * width + byte); byte += 1 }
      row += 1
    }
    out
  }
}

private object ProductBatch {

  /** Queries of a long. */
  final private val Together = 4

  /** Rows whose sums are in the cache. */
  final private val Block = 512

  /** Most steps of a limit. */
  final private val MostSteps = 32767L

  /** Most steps of the summands of a row: with those of a query not more than a limit may have. */
  final private val MostOfRow = 16000
  final private val Each = 0x0001000100010001L
  final private val Highest = 0x8000800080008000L

  /** Share of the greatest summands that rounding changes in any case. */
  final private val Slack = 1e-5

  /** The codes of a partition, transposed. */
  final private class Rows(val ids: Array[Long], val codes: Array[Byte]) {
    def count: Int = ids.length
  }

  /** A query that looks at a partition.
    *
    * @param query
    *   or its difference from the centroid
    */
  final private class Lane(val heap: NearestHeap, val query: Array[Float], val number: Int) {

    /** The first row that was not compared yet. */
    var first: Int = 0
  }

  /** The least and the greatest summand of rows. */
  final private case class Bounds(least: Float, most: Float) {
    def isFinite: Boolean = !least.isInfinite && !most.isInfinite
  }

  private object Bounds {
    def of(summands: Array[Float], rows: Int): Bounds = {
      var least = Float.PositiveInfinity
      var most = Float.NegativeInfinity
      var row = 0
      while (row < rows) {
        val x = summands(row)
        if (x < least) least = x
        if (x > most) most = x
        row += 1
      }
      Bounds(least, most)
    }
  }

  private object RowSquare {
    def of(vector: Array[Float]): Double = {
      var sum = 0.0
      var i = 0
      while (i < vector.length) { sum += vector(i).toDouble * vector(i); i += 1 }
      sum
    }
  }
}
