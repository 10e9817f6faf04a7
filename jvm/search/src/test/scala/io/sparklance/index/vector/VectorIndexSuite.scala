package io.sparklance.index.vector

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{ByteRange, RowRanges}
import io.sparklance.dataset.Dataset
import io.sparklance.fuzz.{Ending, Fuzzer, Specimen}
import io.sparklance.index.search.{BrokenIndices, GoldenIndices}
import io.sparklance.testkit.Ring
import io.sparklance.vector.{Metric, NearestHeap, NearestSpec, Query, VectorColumn}

/** Searches of the indices in `tests/golden/vectors`, with the answers that pylance gave. */
class VectorIndexSuite extends AnyFunSuite {
  import GoldenVectors._

  private val cases = Ring.cases(fast = 10, everyday = 20, full = 20000)

  for ((column, answer) <- answers)
    test(s"$column: rows and distances are those of the reference") {
      val found = ask(Specimen.store(files), column, answer, BrokenIndices.Fail).getOrElse(fail("not used"))
      val (rows, distances) = (longs(answer.get("addresses")), doubles(answer.get("distances")))
      val ours = found.answers.head
      assert(found.index._1 == column && found.segments == 1 && found.uncovered == RowRanges.empty)
      assert(ours.size == rows.size)
      ours.distances.zip(distances).foreach { case (a, b) =>
        assert(math.abs(a - b) <= tolerance(found.index._2) * (1 + math.abs(b)))
      }
      // Rows of the same distance may be others at the end.
      val last = distances.last
      val certain = rows.zip(distances).filter(_._2 < last).map(_._1).toSet
      assert(certain.subsetOf(ours.addresses.toSet))
    }

  test("more partitions are searched until there are enough rows, unless their number is fixed") {
    val (store, answer) = (Specimen.store(files), answers("whole"))
    def found(probes: Probes) =
      ask(store, "whole", answer, BrokenIndices.Fail, k = 1000, probes).map(a =>
        (a.answers.head.size, a.probed)
      )
    assert(found(Probes()).contains((468, 4)))
    assert(found(Probes.exactly(1)).exists { case (rows, probed) => rows < 400 && probed == 1 })
    assert(found(Probes(1, Some(2))).exists(_._2 == 2))
  }

  test("each query of a batch finds what it finds alone, whatever partitions it shares with others") {
    val store = Specimen.store(files)
    val dataset = Dataset.open(store, GoldenIndices.Root)
    answers.foreach { case (column, answer) =>
      val vectors = VectorColumn.of(dataset.schema.fields.find(_.name == column).get).get
      val metric = Metric.parse(answer.get("metric").asText).get
      val first = doubles(answer.get("q")).toArray
      val others =
        Vector(first.map(x => 1 - x).map(math.rint), first.reverse, first.map(math.rint), first.map(_ => 0.0))
      val queries = (first +: others :+ first).map(q => if (metric == Metric.Hamming) q.map(math.abs) else q)
        .map(q => Query.fitted(new Query(Vector(q)), vectors))
      val index = VectorIndexSearch.of(dataset, vectors, BrokenIndices.Fail).get
      for (probes <- Seq(Probes(), Probes.exactly(1), Probes.exactly(2))) {
        def found(some: Vector[Query]) =
          index.find(NearestSpec(vectors, metric, some, 40), 40, probes, None).get
        val together = found(queries)
        val alone = queries.map(q => found(Vector(q)))
        withClue(s"$column, $probes") {
          together.answers.zip(alone.map(_.answers.head)).foreach { case (a, b) =>
            assert(a.addresses.toVector == b.addresses.toVector)
            assert(a.distances.toVector == b.distances.toVector)
          }
          assert(together.compared == alone.map(_.compared).sum && together.probed == alone.map(_.probed).sum)
        }
      }
    }
  }

  test("partitions are looked at by distance, then by number; those without a distance come last") {
    val order = PartitionOrder.of(Array(2f, -1f, Float.NaN, 2f, -3f, 0f), Metric.Dot, 1, Probes(1, Some(5)))
    assert(order.partitions.toVector == Vector(4, 1, 5, 0, 3))
  }

  test("a query's tables are forgotten when further partitions have given it enough rows") {
    val dataset = Dataset.open(Specimen.store(files), GoldenIndices.Root)
    val vectors = VectorColumn.of(dataset.schema.fields.find(_.name == "product").get).get
    val metric = Metric.parse(answers("product").get("metric").asText).get
    val query = Query.fitted(new Query(Vector(doubles(answers("product").get("q")).toArray)), vectors)
    val segment = VectorSegment.of(dataset, vectors.field.id).head
    val search = new SegmentSearch(
      new VectorIndexFiles(dataset.store, segment, vectors.single),
      NearestSpec(vectors, metric, Vector.fill(5)(query), 20),
      RowMask.of(dataset, segment.files, segment.fragments, None),
      20,
      Probes()
    )
    val heaps = Vector.fill(5)(new NearestHeap(20))
    VectorIndexSearch.searchRest(Vector((search, search.orders.map(_.copy(first = 0)))), heaps, 20)
    assert(heaps.forall(_.size == 20) && search.probed == 5)
    assert(search.tables == 0)
  }

  test("large partitions are read one by one, small ones together") {
    val most = PartitionLoad.MostBytes
    assert(PartitionLoad.fitting(Iterator(2 * most, 1L)) == 1)
    assert(PartitionLoad.fitting(Iterator(most / 2, most / 2, 1L)) == 2)
    assert(PartitionLoad.fitting(Iterator(1L, 0L, 2L)) == 3)
  }

  test("a search reads no partition of an index whose partitions are kept") {
    VectorIndexFiles.clear()
    val store = Specimen.store(files)
    val dataset = Dataset.open(store, GoldenIndices.Root)
    val (column, answer) = answers.head
    assert(VectorIndexFiles.prewarm(dataset, column) == 1 &&
      VectorIndexFiles.prewarm(dataset, "nothing") == 0)
    store.forgetReads()
    val query = doubles(answer.get("q")).toArray
    val found = search(dataset, column, Vector(query), BrokenIndices.Fail, k = 6)((index, spec) =>
      index.find(spec, 6, Probes(), None)
    )
    assert(found.exists(_.probed > 0))
    val deletions = store.paths.filter(_.contains("/_deletions/")).map(path =>
      ByteRange(0, store.bytes(path).length.toLong)
    )
    assert(store.reads.forall(deletions.contains))
  }

  test("only rows of a set are found") {
    val (store, answer) = (Specimen.store(files), answers("product"))
    val among = Array.range(100, 160).map(_.toLong)
    val found = ask(store, "product", answer, BrokenIndices.Fail, 100, Probes(), Some(among))
    val rows = found.toVector.flatMap(_.answers.head.addresses)
    assert(rows.toSet == among.filterNot(_ % 10 == 3).toSet && rows.size == 54)
  }

  test("damaged index files are refused by name, or skipped if the caller wants that") {
    val seed = Random.nextLong()
    val fuzzer = new Fuzzer(Vector(VectorSpecimen.golden), seed)
    for (number <- 0L until cases.toLong) {
      val some = fuzzer.run(number)
      some.ending match {
        case Ending.Failed(by) => fail(some.print(seed), by)
        case Ending.Unharmed | Ending.Differs(_) | Ending.Refused(_) =>
      }
    }
  }

  test("the reference's rule for the number of partitions") {
    val near = Array.tabulate(100)(i => 1f + i * 0.01f)
    assert(Probes.first(Probes(), near, Metric.L2, 10) == 24)
    assert(Probes.first(Probes(), Array.tabulate(100)(i => 1f + i), Metric.L2, 10) == 6)
    assert(Probes.first(Probes(), near.take(3), Metric.Cosine, 10) == 3)
    assert(Probes.first(Probes(30), near, Metric.L2, 10) == 30)
    assert(Probes.first(Probes(1, Some(2)), near, Metric.L2, 10) == 2)
    assert(Probes.first(Probes.exactly(7), near, Metric.Dot, 1) == 7)
    assert(Probes.first(Probes(), near, Metric.Hamming, 5) == 100)
  }
}
