package io.sparklance.index.vector.graph

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceFormatException
import io.sparklance.vector.DistanceRange

class GraphSuite extends AnyFunSuite {
  private val dimension = 13

  private def bytes(n: Int, seed: Int): Array[Byte] = {
    val random = new Random(seed)
    val centers = Array.fill(20, dimension)(random.nextInt(200))
    Array.tabulate(n) { _ =>
      val center = centers(random.nextInt(20))
      center.map(c => math.max(0, math.min(255, c + random.nextInt(60))).toByte)
    }.flatten
  }

  private def squared(codes: Array[Byte], a: Int, b: Int): Float = (0 until dimension).map { i =>
    val x = (codes(a * dimension + i) & 0xff) - (codes(b * dimension + i) & 0xff)
    x * x
  }.sum.toFloat

  /** The rows of a graph by levels, as a reader has them. */
  private def read(built: BuiltGraph): Graph = {
    val rows = Vector.newBuilder[(Int, Array[Int])]
    built.foreach((node, edges, _, n) => rows += node -> edges.take(n))
    val all = rows.result()
    val levels =
      built.head.offsets.zip(built.head.offsets.tail).filter { case (a, b) => a < b }.map { case (a, b) =>
        val own = all.slice(a, b)
        val starts = own.scanLeft(0)(_ + _._2.length).toArray
        val edges = own.flatMap(_._2).toArray
        if (a == 0) GraphLevel.lowest(starts, edges)
        else GraphLevel.upper(own.map(_._1).toArray, starts, edges)
      }
    new Graph(built.head.entry, built.head.offsets(1), levels)
  }

  private def build(space: NodeSpace, params: GraphParams = GraphParams(), threads: Int = 1): BuiltGraph =
    new GraphBuilder(space, params, threads, () => ()).run()

  private def reached(graph: Graph): Int = {
    val seen = scala.collection.mutable.BitSet(graph.entry)
    val queue = scala.collection.mutable.Queue(graph.entry)
    val level = graph.levels.head
    while (queue.nonEmpty) {
      val node = queue.dequeue()
      (level.starts(node) until level.starts(node + 1)).map(level.edges(_)).foreach(n =>
        if (seen.add(n)) queue += n
      )
    }
    seen.size
  }

  test("products of packed bytes are those of the bytes, whatever the dimension") {
    for (d <- Seq(1, 2, 3, 4, 29, 30, 31, 64, 1000)) {
      val random = new Random(d)
      val codes = Array.fill(4 * d)(if (d == 1000) 255.toByte else random.nextInt().toByte)
      def byte(node: Int, i: Int) = codes(node * d + i) & 0xff
      val (near, dots) = (
        new PackedBytes(codes, d, 0.5f, -3f, byProduct = false).view(),
        new PackedBytes(codes, d, 0.5f, -3f, byProduct = true).view()
      )
      for (a <- 0 until 4; b <- 0 until 4) {
        near.choose(a)
        dots.choose(a)
        val square = (0 until d).map(i => (byte(a, i) - byte(b, i)) * (byte(a, i) - byte(b, i)).toLong).sum
        assert(near(b) == square.toFloat * 0.25f)
        val dot = (0 until d).map(i => (byte(a, i) * 0.5 - 3) * (byte(b, i) * 0.5 - 3)).sum
        assert(math.abs(dots(b) - (1 - dot)) <= 1e-4 * (1 + math.abs(dot)))
      }
    }
  }

  test("a search of a built graph finds the nearest nodes") {
    val n = 3000
    val codes = bytes(n, 1)
    val graph = read(build(new PackedBytes(codes, dimension, 1f, 0f, byProduct = false)))
    val search = new GraphSearch(graph)
    val found = (0 until 100).map { q =>
      val query = q * 29
      val count = search.run(node => squared(codes, query, node), 30, None, DistanceRange.all)
      assert(count == 30 && search.near.take(count).sliding(2).forall(p => p(0) <= p(1)))
      val tenth = (0 until n).map(squared(codes, query, _)).sorted.apply(9)
      search.near.take(10).count(_ <= tenth)
    }.sum
    assert(found >= 985)
  }

  test("a search finds the nearest nodes among many equal ones") {
    val n = 2000
    val few = bytes(20, 7).grouped(dimension).toVector
    // Of one vector, of twenty, and of one for nine of ten nodes.
    val kinds = Seq[Int => Array[Byte]](
      _ => few.head,
      node => few(node * 7919 % 20),
      node => if (node % 10 > 0) few.head else few(node / 10 % 20).map(b => (b ^ node / 200).toByte)
    )
    for ((kind, k) <- kinds.zipWithIndex) {
      val codes = Array.tabulate(n)(kind).flatten
      val floats = new NodeSpace.Floats(codes.map(b => (b & 0xff).toFloat), dimension, byProduct = false)
      for (space <- Seq(new PackedBytes(codes, dimension, 1f, 0f, byProduct = false), floats)) {
        val graph = read(build(space))
        assert(reached(graph) == n)
        val search = new GraphSearch(graph)
        val found = bytes(20, 8).grouped(dimension).map { query =>
          val all = codes ++ query
          val count = search.run(node => squared(all, n, node), 15, None, DistanceRange.all)
          val tenth = (0 until n).map(squared(all, n, _)).sorted.apply(9)
          assert(count == 15)
          search.near.take(10).count(_ <= tenth)
        }.sum
        assert(found >= 190, s"kind $k")
      }
    }
  }

  test("every node can be reached, and no node has too many edges") {
    val params = GraphParams(m = 4, beam = 8, maxLevel = 3)
    for ((n, seed) <- Seq(1 -> 1, 2 -> 2, 3 -> 3, 50 -> 4, 2000 -> 5)) {
      val built = build(new PackedBytes(bytes(n, seed), dimension, 1f, 0f, byProduct = false), params)
      assert(built.head.offsets.size == 4 && built.head.offsets(1) == n)
      assert(reached(read(built)) == n)
      var row = 0
      built.foreach { (node, edges, _, count) =>
        assert(count <= (if (row < n) 11 else 4))
        assert(edges.take(count).distinct.length == count && !edges.take(count).contains(node))
        row += 1
      }
      assert(row == built.head.offsets.last)
    }
    val equal = Array.fill(500 * dimension)(7.toByte)
    assert(reached(read(build(new PackedBytes(equal, dimension, 1f, 0f, byProduct = false), params))) == 500)
  }

  test("equal vectors give equal graphs, on any number of threads") {
    val codes = bytes(1500, 3)
    def rows(threads: Int) = {
      val out = Vector.newBuilder[(Int, Vector[Int], Vector[Float])]
      val built = build(new PackedBytes(codes, dimension, 1f, 0f, byProduct = false), threads = threads)
      built.foreach((node, edges, lengths, n) =>
        out += ((node, edges.take(n).toVector, lengths.take(n).toVector))
      )
      out.result()
    }
    val one = rows(1)
    assert(rows(3) == one && rows(8) == one)
    one.take(1500).foreach { case (node, edges, lengths) =>
      edges.zip(lengths).foreach { case (other, length) => assert(length == squared(codes, node, other)) }
    }
  }

  test("a failure in any thread ends the work") {
    val failing = new NodeSpace.Floats(Array.tabulate(4000)(_.toFloat), 2, byProduct = false)
    val stopped = intercept[IllegalStateException](
      new GraphBuilder(failing, GraphParams(), 4, () => throw new IllegalStateException("stop")).run()
    )
    assert(stopped.getMessage == "stop")
    Parallel.using(3) { parallel =>
      val broken = intercept[IllegalArgumentException](
        parallel.run(1000, 1)((_, i) => if (i == 700) throw new IllegalArgumentException(s"piece $i"))
      )
      assert(broken.getMessage == "piece 700")
    }
  }

  test("only nodes of a set and distances of a range are found; few nodes are compared one by one") {
    val codes = bytes(2000, 4)
    val graph = read(build(new PackedBytes(codes, dimension, 1f, 0f, byProduct = false)))
    val search = new GraphSearch(graph)
    def among(chosen: Int => Boolean) = {
      val nodes = (0 until 2000).filter(chosen)
      val bits = new Array[Long](32)
      nodes.foreach(n => bits(n >> 6) |= 1L << n)
      NodeSet(bits, nodes.size)
    }
    def found(set: NodeSet, range: DistanceRange) = {
      val n = search.run(node => squared(codes, 5, node), 40, Some(set), range)
      search.nodes.take(n).zip(search.near).toVector
    }
    val half = found(among(_ % 2 == 0), DistanceRange.all)
    assert(half.size == 40 && half.forall(_._1 % 2 == 0))
    val far = DistanceRange(Some(half(10)._2), Some(half(30)._2))
    val inRange = found(among(_ % 2 == 0), far)
    assert(inRange.nonEmpty && inRange.forall { case (n, d) => n % 2 == 0 && far.contains(d) })
    search.compared = 0
    val few = found(among(_ % 50 == 0), DistanceRange.all)
    assert(search.compared == 40 && few.map(_._2) == (0 until 2000 by 50).map(squared(codes, 5, _)).sorted)
  }

  test("a heap gives its nodes in order") {
    val random = new Random(9)
    val heap = new NodeHeap
    for (n <- Seq(0, 1, 2, 3, 100, 1000)) {
      val all = Vector.fill(n)(random.nextInt(50).toFloat)
      all.zipWithIndex.foreach { case (d, i) => heap.push(d, i) }
      val some = n / 3
      val greatest = Vector.fill(some) { val top = heap.top; heap.pop(); top }
      val (far, nodes) = (new Array[Float](n), new Array[Int](n))
      assert(heap.drain(far, nodes) == n - some)
      assert(greatest == all.sorted.reverse.take(some) &&
        far.take(n - some).toVector == all.sorted.take(n - some))
      nodes.take(n - some).zip(far).foreach { case (node, d) => assert(all(node) == d) }
    }
  }

  test("heads of graphs are read and written, damaged ones refused") {
    val text =
      """{"entry_point":44,"params":{"max_level":3,"m":5,"ef_construction":30,"prefetch_distance":2},"level_offsets":[0,240,251,251]}"""
    val head = GraphHead.of(text, 251)
    assert(head == GraphHead(44, Vector(0, 240, 251, 251), GraphParams(5, 30, 3)))
    assert(GraphHead.print(head) == text)
    for (
      (from, to) <- Seq(
        "44" -> "240",
        "44" -> "-1",
        "44" -> "1.5",
        "[0,240" -> "[1,240",
        "[0,240" -> "[0,252",
        "251,251]" -> "251,250]",
        "251,251]" -> "251,4000000000]",
        "[0,240,251,251]" -> "[0]",
        "[0,240,251,251]" -> "7",
        "251]}" -> "251]",
        "entry_point" -> "other"
      )
    ) assert(
      intercept[LanceFormatException](GraphHead.of(text.replace(from, to), 251)).getMessage.contains("graph"),
      to
    )
  }

  test("a level finds the row of a node, of several the last one") {
    val level = GraphLevel.upper(Array(7, 3, 0, 3), Array(0, 0, 0, 0, 0), Array.emptyIntArray)
    assert(Vector(0, 1, 2, 3, 4, 7, 8).map(level.row) == Vector(2, -1, -1, 3, -1, 0, -1))
  }
}
