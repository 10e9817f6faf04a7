package io.sparklance.index.text

import java.util.Arrays

/** Takes documents that have the words of a query, with their scores. */
private[text] trait DocumentSink {

  /** Documents with lower scores are not wanted. */
  def least: Float
  def add(document: Int, score: Float): Unit
}

/** Tokens of a query that a partition has, in the order in which their scores are added up.
  *
  * @param weights
  *   of the tokens, parallel to `lists`
  * @param places
  *   numbers of their terms in the query
  * @param terms
  *   number of the query's terms if a document must have all of them; None if one is enough
  */
final private[text] class WindowQuery(
    val lists: Array[ScoredList],
    val weights: Array[Float],
    places: Array[Int],
    terms: Option[Int]
) {
  private val needsAll = terms.isDefined

  /** Number of terms that a document must have, counted by [[reached]]. */
  val least: Int = terms.getOrElse(1)

  /** Returns the number of terms found so far, with a token found now.
    *
    * @param before
    *   that number before; terms after a missing one do not count
    */
  def reached(before: Int, token: Int): Int = {
    val wanted = if (needsAll) places(token) else 0
    if (before == wanted) wanted + 1 else before
  }
}

/** Searches a partition window by window. If only the best documents are wanted, windows come in the order of
  * the bounds of their scores, and those whose bound is too low by then are left out. Bounds are added up
  * like scores, so rounding takes no bound below a score. Belongs to one thread.
  */
final private[text] class WindowSearch {
  import WindowSearch._

  private var bounds = Array.emptyFloatArray
  private var reached, order = Array.emptyIntArray
  private val ends = new Array[Int](Buckets + 1)
  private val scores = new Array[Float](ScoredList.Window)
  private val seen = new Array[Int](ScoredList.Window)

  /** @param documents
    *   number of documents of the partition
    * @param boost
    *   factor of all scores
    * @param isRanked
    *   whether only the best documents are wanted
    */
  def run(query: WindowQuery, documents: Int, boost: Float, isRanked: Boolean, out: DocumentSink): Unit = {
    val windows = ScoredList.windows(documents)
    bound(query, windows)
    val isPruned = isRanked && boost > 0
    val count = if (isPruned) byBound(query.least, windows) else inOrder(query.least, windows)
    var i = 0
    while (i < count) {
      val window = order(i)
      if (!isPruned || !(boost * bounds(window) < out.least)) {
        score(query, window, windows)
        emit(window * ScoredList.Window, query.least, boost, out)
      }
      i += 1
    }
  }

  private def bound(query: WindowQuery, windows: Int): Unit = {
    if (bounds.length < windows) {
      bounds = new Array[Float](windows)
      reached = new Array[Int](windows)
      order = new Array[Int](windows)
    }
    Arrays.fill(bounds, 0, windows, 0f)
    Arrays.fill(reached, 0, windows, 0)
    var token = 0
    while (token < query.lists.length) {
      val (list, weight) = (query.lists(token), query.weights(token))
      var i = 0
      while (i < list.windows.length) {
        val window = list.windows(i)
        bounds(window) += weight * list.best(i)
        reached(window) = query.reached(reached(window), token)
        i += 1
      }
      token += 1
    }
  }

  /** Lists the windows that may have documents. Returns their number. */
  private def inOrder(least: Int, windows: Int): Int = {
    var (count, window) = (0, 0)
    while (window < windows) {
      if (reached(window) >= least) { order(count) = window; count += 1 }
      window += 1
    }
    count
  }

  /** Lists them, those with greater bounds first, about. */
  private def byBound(least: Int, windows: Int): Int = {
    var (greatest, window) = (0f, 0)
    while (window < windows) {
      if (bounds(window) > greatest) greatest = bounds(window)
      window += 1
    }
    val scale = (Buckets - 1) / greatest
    Arrays.fill(ends, 0)
    window = 0
    while (window < windows) {
      if (reached(window) >= least) ends(bucket(window, scale) + 1) += 1
      window += 1
    }
    var i = 0
    while (i < Buckets) { ends(i + 1) += ends(i); i += 1 }
    window = 0
    while (window < windows) {
      if (reached(window) >= least) {
        val own = bucket(window, scale)
        order(ends(own)) = window
        ends(own) += 1
      }
      window += 1
    }
    ends(Buckets)
  }

  /** Returns the bucket of a window; the first ones are for the greatest bounds. */
  private def bucket(window: Int, scale: Float): Int =
    Buckets - 1 - math.max(0, math.min(Buckets - 1, (bounds(window) * scale).toInt))

  /** Adds up the scores of a window's documents. */
  private def score(query: WindowQuery, window: Int, windows: Int): Unit = {
    Arrays.fill(scores, 0f)
    Arrays.fill(seen, 0)
    var token = 0
    while (token < query.lists.length) {
      val (list, weight) = (query.lists(token), query.weights(token))
      val at = list.placeOf(window, windows)
      if (at >= 0) {
        val end = list.starts(at + 1)
        var i = list.starts(at)
        while (i < end) {
          val own = list.documents(i) & (ScoredList.Window - 1)
          scores(own) += weight * list.scores(i)
          seen(own) = query.reached(seen(own), token)
          i += 1
        }
      }
      token += 1
    }
  }

  private def emit(first: Int, least: Int, boost: Float, out: DocumentSink): Unit = {
    var i = 0
    while (i < ScoredList.Window) {
      if (seen(i) >= least) {
        val score = boost * scores(i)
        if (!(score < out.least)) out.add(first + i, score)
      }
      i += 1
    }
  }
}

private object WindowSearch {

  /** Number of classes of bounds. */
  final private val Buckets = 256
}
