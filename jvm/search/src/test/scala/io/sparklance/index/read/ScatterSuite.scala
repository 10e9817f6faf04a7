package io.sparklance.index.read

import org.scalatest.funsuite.AnyFunSuite

class ScatterSuite extends AnyFunSuite {
  private val count = 8192

  /** Whether a search is given up whose first entries are rows at a distance from one another. */
  private def isTooWide(wanted: Long, mostRanges: Long, distance: Int): Boolean = {
    val scatter = new Scatter(wanted, mostRanges)
    val ids = Array.tabulate(count)(i => (count - 1 - i).toLong * distance)
    scatter.sample(ids, Array.range(0, count), count, count)
    scatter.isTooWide
  }

  test("searches for many scattered rows are given up") {
    assert(isTooWide(wanted = 1 << 20, mostRanges = 1 << 16, distance = 2))
    assert(!isTooWide(wanted = 1 << 20, mostRanges = 1 << 17, distance = 2))
    assert(!isTooWide(wanted = 1 << 20, mostRanges = 1 << 16, distance = 1))
    assert(!isTooWide(wanted = 1 << 15, mostRanges = 1, distance = 2))
    assert(!isTooWide(wanted = 1 << 20, mostRanges = Long.MaxValue, distance = 2))
  }

  test("entries that do not pass make no ranges") {
    val scatter = new Scatter(1 << 20, 1 << 10)
    scatter.sample(Array.tabulate(count)(_ * 2L), Array.range(0, count), passing = 32, read = count)
    assert(!scatter.isTooWide)
    scatter.sample(Array.tabulate(count)(_ * 2L), Array.range(0, count), passing = count, read = count)
    assert(!scatter.isTooWide)
  }
}
