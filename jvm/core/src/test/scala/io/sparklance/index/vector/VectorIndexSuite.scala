package io.sparklance.index.vector

import scala.jdk.CollectionConverters._
import scala.util.Random

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceException
import io.sparklance.data.RowRanges
import io.sparklance.dataset.Dataset
import io.sparklance.fuzz.{Damage, Specimen, TableContent}
import io.sparklance.index.search.{BrokenIndices, GoldenIndices}
import io.sparklance.io.ObjectStore
import io.sparklance.vector.{Metric, NearestSpec, Query, VectorColumn}

/** Searches of the indices in `tests/golden/vectors`, with the answers that pylance gave. */
class VectorIndexSuite extends AnyFunSuite {
  import VectorIndexSuite._

  private val cases = if (sys.env.contains("SPARKLANCE_TEST_FULL")) 20000 else 200

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
      val queries = Vector(first, first.map(x => 1 - x).map(math.rint), first.reverse)
        .map(q => if (metric == Metric.Hamming) q.map(math.abs) else q)
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

  test("only rows of a set are found") {
    val (store, answer) = (Specimen.store(files), answers("product"))
    val among = Array.range(100, 160).map(_.toLong)
    val found = ask(store, "product", answer, BrokenIndices.Fail, 100, Probes(), Some(among))
    val rows = found.toVector.flatMap(_.answers.head.addresses)
    assert(rows.toSet == among.filterNot(_ % 10 == 3).toSet && rows.size == 54)
  }

  test("damaged index files are refused by name, or skipped if the caller wants that") {
    val (own, others) = files.partition(_._1.contains("/_indices/"))
    val content = TableContent.read(Specimen.store(files), GoldenIndices.Root, Set.empty)
    val specimen = Specimen("vectors", own, Set.empty, content)
    for (number <- 0 until cases) {
      val damaged = new Damage(Vector(specimen), new Random(number.toLong))(specimen)
      val store = Specimen.store(others ++ damaged.files)
      val changed = own.keySet.filterNot(path => damaged.files.get(path).exists(_.sameElements(own(path))))
      for ((column, uuid) <- directories if changed.exists(_.contains(uuid))) {
        val answer = answers(column)
        withClue(s"case $number (${damaged.what}), a search of $column") {
          VectorIndexFiles.clear()
          try { val _ = ask(store, column, answer, BrokenIndices.Fail) }
          catch { case e: LanceException => assert(e.getMessage.contains(s"the index '$column'")) }
          VectorIndexFiles.clear()
          val _ = ask(store, column, answer, BrokenIndices.Scan)
        }
      }
    }
    VectorIndexFiles.clear()
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

private object VectorIndexSuite {
  private lazy val files = GoldenIndices.filesOf("tests/golden/vectors")

  private lazy val answers: Map[String, JsonNode] = {
    val all = new ObjectMapper().readTree(files(s"${GoldenIndices.Root}/answers.json"))
    all.fieldNames.asScala.map(name => name -> all.get(name)).toMap
  }

  /** The reference rounds its sums of rotated items to 16 bits. */
  private def tolerance(kind: String): Double = if (kind == "IVF_RQ") 1e-3 else 1e-4

  private def doubles(node: JsonNode): Vector[Double] = node.elements.asScala.map(_.asDouble).toVector

  /** Names of the directories of the columns' indices. */
  private lazy val directories: Map[String, String] = {
    val dataset = Dataset.open(Specimen.store(files), GoldenIndices.Root)
    dataset.schema.fields.filter(field => answers.contains(field.name)).map { field =>
      field.name -> VectorSegment.of(dataset, field.id).head.uuid.toString
    }.toMap
  }

  private def longs(node: JsonNode): Vector[Long] = node.elements.asScala.map(_.asLong).toVector

  private def ask(
      store: ObjectStore,
      column: String,
      answer: JsonNode,
      broken: BrokenIndices,
      k: Int = 6,
      probes: Probes = Probes(0),
      among: Option[Array[Long]] = None
  ): Option[VectorIndexAnswer] = {
    val dataset = Dataset.open(store, GoldenIndices.Root)
    val vectors = VectorColumn.of(dataset.schema.fields.find(_.name == column).get).get
    val query = Query.fitted(new Query(Vector(doubles(answer.get("q")).toArray)), vectors)
    val metric = Metric.parse(answer.get("metric").asText).get
    val asked = if (probes == Probes(0)) Probes.exactly(answer.get("nprobes").asInt) else probes
    val spec = NearestSpec(vectors, metric, Vector(query), k)
    VectorIndexSearch.of(
      dataset,
      vectors,
      broken
    ).filter(_.metric.contains(metric)).flatMap(_.find(spec, k, asked, among))
  }
}
