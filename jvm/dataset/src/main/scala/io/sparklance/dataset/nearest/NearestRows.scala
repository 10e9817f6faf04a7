package io.sparklance.dataset.nearest

import io.sparklance.data.{Column, DataBlock, FixedSizeListBlock, ListBlock, NullMask}
import io.sparklance.vector.{
  BoundTile,
  NanDistances,
  NanRank,
  NearestHeap,
  NearestSpec,
  Neighbors,
  VectorTile
}

/** Keeps the nearest of the rows of many batches, for each query of a search. Belongs to one thread.
  *
  * Rows without a vector are left out, and so are vectors with a null among their items, and with NaN unless
  * the search wants these.
  */
sealed abstract private[nearest] class NearestRows(spec: NearestSpec) {
  private val heaps = Array.fill(spec.queries.size)(new NearestHeap(spec.k, spec.nans))
  private val nans = Option.when(spec.nans != NanRank.Out)(new NanDistances(spec))
  private val upper = spec.range.upper.getOrElse(Float.PositiveInfinity)
  private val isOpen = spec.range.upper.isEmpty
  private val least = spec.range.least

  /** Looks at the first `count` rows of a batch.
    *
    * @param vectors
    *   values of the column
    * @param addresses
    *   row addresses
    * @param dropped
    *   rows to leave out
    */
  def add(vectors: Column, addresses: Array[Long], count: Int, dropped: Array[Boolean]): Unit

  /** Whether each row so far has a distance from each query; false if that is not known. */
  def isRanked: Boolean

  /** Returns the answer to each query. Call once. */
  final def answers: Vector[Neighbors] = heaps.iterator.map(_.drain()).toVector

  final protected def heap(query: Int): NearestHeap = heaps(query)

  /** Returns the distance of a row to offer. A NaN is computed again, as it may come of a sum that no float
    * holds; None if there is none.
    */
  final protected def offered(query: Int, distance: Float, items: DataBlock, row: Int): Option[Float] =
    if (distance.isNaN) nans.flatMap(_.of(query, items, row)) else Some(distance)

  /** Whether a row with such a distance is worth a look for its NaN. */
  final protected def isNan(distance: Float): Boolean = nans.isDefined && distance.isNaN

  /** Whether a row with such a distance may be in an answer. False for NaN. */
  final protected def isWanted(distance: Float, bound: Float): Boolean =
    distance <= bound && distance >= least && (isOpen || distance < upper)
}

private[nearest] object NearestRows {
  def of(spec: NearestSpec): NearestRows = {
    val queries = spec.queries.flatMap(_.vectors)
    def tile = VectorTile.of(spec.column, spec.metric, queries)
    if (spec.column.isMulti) new NearestLists(spec, tile)
    else
      BoundTile.of(spec.column, spec.metric, queries)
        .fold[NearestRows](new NearestVectors(spec, tile))(new NearestOfMany(spec, _))
  }

  /** Whether a vector has a null among its items. */
  def isPartial(nulls: NullMask, vector: Int, dimension: Int): Boolean = nulls.hasNulls && {
    val end = (vector + 1) * dimension
    var i = vector * dimension
    while (i < end && !nulls.isNull(i)) i += 1
    i < end
  }
}

/** Rows with a vector each. */
final private class NearestVectors(spec: NearestSpec, tile: VectorTile) extends NearestRows(spec) {
  private val distances = new Array[Float](tile.capacity)
  private var total = 0f
  private var hasNulls = false

  /** The sum of all distances is NaN if one of them is, or if some are infinite. */
  def isRanked: Boolean = !hasNulls && !total.isNaN

  def add(vectors: Column, addresses: Array[Long], count: Int, dropped: Array[Boolean]): Unit =
    vectors.values match {
      case lists: FixedSizeListBlock =>
        hasNulls |= vectors.nulls.hasNulls || lists.itemNulls.hasNulls
        var first = 0
        while (first < count) {
          val some = math.min(tile.capacity, count - first)
          tile.load(lists.items, first, some)
          var query = 0
          while (query < spec.queries.size) {
            tile.distances(query, distances)
            keep(query, vectors, lists, addresses, first, some, dropped)
            query += 1
          }
          first += some
        }
      case other => throw new IllegalStateException(s"vectors in a ${other.getClass}")
    }

  private def keep(
      query: Int,
      vectors: Column,
      lists: FixedSizeListBlock,
      addresses: Array[Long],
      first: Int,
      count: Int,
      dropped: Array[Boolean]
  ): Unit = {
    val best = heap(query)
    var bound = best.bound
    var sum = total
    var i = 0
    while (i < count) {
      val distance = distances(i)
      val row = first + i
      sum += distance
      if (
        (isWanted(distance, bound) || isNan(distance)) && !dropped(row) && !vectors.nulls.isNull(row) &&
        !NearestRows.isPartial(lists.itemNulls, row, lists.dimension)
      ) {
        offered(query, distance, lists.items, row).foreach(best.offer(_, addresses(row)))
        bound = best.bound
      }
      i += 1
    }
    total = sum
  }
}

/** Rows with a vector each, for many queries. */
final private class NearestOfMany(spec: NearestSpec, tile: BoundTile) extends NearestRows(spec) {
  private val sums = Array.fill(BoundTile.QueriesAtOnce)(new Array[Float](tile.capacity))

  def isRanked: Boolean = false

  def add(vectors: Column, addresses: Array[Long], count: Int, dropped: Array[Boolean]): Unit =
    vectors.values match {
      case lists: FixedSizeListBlock =>
        var first = 0
        while (first < count) {
          val some = math.min(tile.capacity, count - first)
          tile.load(lists.items, first, some)
          addLoaded(lists.items, first, some, addresses, usable(vectors, lists, dropped))
          first += some
        }
      case other => throw new IllegalStateException(s"vectors in a ${other.getClass}")
    }

  private def usable(vectors: Column, lists: FixedSizeListBlock, dropped: Array[Boolean])(row: Int): Boolean =
    !dropped(row) && !vectors.nulls.isNull(row) &&
      !NearestRows.isPartial(lists.itemNulls, row, lists.dimension)

  private def addLoaded(
      items: DataBlock,
      first: Int,
      count: Int,
      addresses: Array[Long],
      isUsable: Int => Boolean
  ): Unit = {
    var query = 0
    while (query < spec.queries.size) {
      tile.sums(query, sums)
      val end = math.min(query + sums.length, spec.queries.size)
      val from = query
      while (query < end) {
        keep(query, sums(query - from), items, first, count, addresses, isUsable)
        query += 1
      }
    }
  }

  private def keep(
      query: Int,
      sums: Array[Float],
      items: DataBlock,
      first: Int,
      count: Int,
      addresses: Array[Long],
      isUsable: Int => Boolean
  ): Unit = {
    val best = heap(query)
    var limit = tile.limit(query, best.bound)
    var i = 0
    while (i < count) {
      if (!(sums(i) > limit) && isUsable(first + i)) {
        val distance = tile.distance(query, i)
        if (isWanted(distance, best.bound) || isNan(distance)) {
          offered(query, distance, items, first + i).foreach(best.offer(_, addresses(first + i)))
          limit = tile.limit(query, best.bound)
        }
      }
      i += 1
    }
  }
}

/** Rows with a list of vectors each. The distance of a row is the sum, over the vectors of the query, of the
  * distance of the nearest vector of the row.
  */
final private class NearestLists(spec: NearestSpec, tile: VectorTile) extends NearestRows(spec) {
  private val distances = new Array[Float](tile.capacity)
  private var sums = Array.emptyFloatArray
  private var least = Array.emptyFloatArray

  def isRanked: Boolean = false

  def add(vectors: Column, addresses: Array[Long], count: Int, dropped: Array[Boolean]): Unit =
    vectors.values match {
      case lists: ListBlock =>
        if (sums.length < count) {
          sums = new Array[Float](count)
          least = new Array[Float](count)
        }
        var next = 0
        var query = 0
        while (query < spec.queries.size) {
          java.util.Arrays.fill(sums, 0, count, 0f)
          val end = next + spec.queries(query).vectors.size
          while (next < end) { addNearest(next, lists, count); next += 1 }
          keep(query, vectors, addresses, count, dropped)
          query += 1
        }
      case other => throw new IllegalStateException(s"lists of vectors in a ${other.getClass}")
    }

  /** Adds to each row's sum the distance of its nearest vector from a vector of the query; NaN without any.
    */
  private def addNearest(vector: Int, lists: ListBlock, count: Int): Unit = {
    java.util.Arrays.fill(least, 0, count, Float.NaN)
    lists.items.values match {
      case inner: FixedSizeListBlock =>
        val total = lists.offsets(count)
        var row = 0
        var first = 0
        while (first < total) {
          val some = math.min(tile.capacity, total - first)
          tile.load(inner.items, first, some)
          tile.distances(vector, distances)
          var i = 0
          while (i < some) {
            while (lists.offsets(row + 1) <= first + i) row += 1
            if (!isMissing(lists.items, inner, first + i)) lower(row, distances(i))
            i += 1
          }
          first += some
        }
      case other => throw new IllegalStateException(s"vectors in a ${other.getClass}")
    }
    var row = 0
    while (row < count) { sums(row) += least(row); row += 1 }
  }

  private def lower(row: Int, distance: Float): Unit =
    if (distance < least(row) || least(row).isNaN) least(row) = distance

  private def isMissing(items: Column, inner: FixedSizeListBlock, vector: Int): Boolean =
    items.nulls.isNull(vector) || NearestRows.isPartial(inner.itemNulls, vector, inner.dimension)

  private def keep(
      query: Int,
      vectors: Column,
      addresses: Array[Long],
      count: Int,
      dropped: Array[Boolean]
  ): Unit = {
    val best = heap(query)
    var row = 0
    while (row < count) {
      if (isWanted(sums(row), best.bound) && !dropped(row) && !vectors.nulls.isNull(row))
        best.offer(sums(row), addresses(row))
      row += 1
    }
  }
}
