package io.sparklance.index.text

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

/** The best documents are the same, bit by bit, whether all windows are looked at or only promising ones. */
final class WindowSearchSuite extends AnyFunSuite {
  private val windows = new WindowSearch

  test("the best documents of random lists are those of an exhaustive search") {
    for (seed <- 0 until 400) withClue(s"seed $seed") {
      val random = new Random(seed.toLong)
      val documents = 1 + random.nextInt(if (seed % 10 == 0) 20000 else 900)
      val query = this.query(random, documents)
      val expected = exhaustive(query, documents)
      for (limit <- Vector(1, 3, 10, 1 + random.nextInt(documents))) {
        val found = new BestTexts(limit)
        windows.run(query.asked, documents, query.boost, found.isRanked, sink(found))
        assertBest(found.answer(), expected, limit)
      }
      val all = new AllTexts
      windows.run(query.asked, documents, query.boost, all.isRanked, sink(all))
      val rows = all.rows
      assert(rows.size == expected.size && expected.forall { case (row, score) =>
        rows.get(row).contains(score)
      })
    }
  }

  test("windows that cannot have wanted documents are left out") {
    val documents = 1 << 16
    val lengths = Array.tabulate(documents)(i => 10 + i % 90)
    val postings =
      new Postings(Array.range(0, documents), Array.tabulate(documents)(i => 1 + (i * 7919 >>> 4) % 3))
    val list =
      ScoredList.of(postings, lengths, isRounded = false, new Bm25(documents.toLong, 55L * documents))
    var seen = 0
    val best = new BestTexts(10)
    val counting = new DocumentSink {
      def least: Float = best.least
      def add(document: Int, score: Float): Unit = { seen += 1; best.add(document.toLong, score) }
    }
    windows.run(
      new WindowQuery(Array(list), Array(0.5f), Array(0), None),
      documents,
      1f,
      isRanked = true,
      counting
    )
    assert(seen < documents / 20)
  }

  private def query(random: Random, documents: Int): Asked = {
    val lengths = Array.fill(documents)(1 + random.nextInt(if (random.nextBoolean()) 4 else 200))
    val isRounded = random.nextBoolean()
    val scorer = new Bm25(documents.toLong, lengths.map(_.toLong).sum)
    var place = -1
    val tokens = Vector.fill(1 + random.nextInt(4)) {
      if (place < 0 || random.nextInt(4) > 0) place += 1
      val share = random.nextDouble() * random.nextDouble()
      val own = Array.range(0, documents).filter(_ => random.nextDouble() < share)
      val postings = new Postings(own, own.map(_ => 1 + random.nextInt(1 + random.nextInt(5))))
      val weight = scorer.weight(math.max(1, own.length).toLong)
      Drawn(postings, ScoredList.of(postings, lengths, isRounded, scorer), weight, place)
    }
    val terms = Option.when(random.nextInt(3) == 0)(place + 1)
    val boost = Vector(1f, 2.5f, 0.1f, 0f, -1f)(random.nextInt(5))
    Asked(
      new WindowQuery(
        tokens.map(_.list).toArray,
        tokens.map(_.weight).toArray,
        tokens.map(_.place).toArray,
        terms
      ),
      tokens,
      terms,
      boost
    )
  }

  private def exhaustive(query: Asked, documents: Int): Map[Long, Float] = {
    val score = new Array[Float](documents)
    val having = Array.fill(documents)(Set.empty[Int])
    query.tokens.foreach { token =>
      token.postings.documents.indices.foreach { i =>
        val document = token.postings.documents(i)
        score(document) += token.weight * token.list.scores(i)
        having(document) += token.place
      }
    }
    (0 until documents).filter(i => having(i).size >= query.terms.getOrElse(1))
      .map(i => i.toLong -> query.boost * score(i)).toMap
  }

  private def assertBest(found: TextAnswer, expected: Map[Long, Float], limit: Int): Unit = {
    val best =
      expected.toVector.sortWith((a, b) => a._2 > b._2 || (a._2 == b._2 && a._1 < b._1)).take(limit)
    val _ = assert(found.addresses.zip(found.scores).toVector == best)
  }

  private def sink(found: FoundTexts): DocumentSink = new DocumentSink {
    def least: Float = found.least
    def add(document: Int, score: Float): Unit = found.add(document.toLong, score)
  }
}

/** A query, with the tokens from which it is made. */
final private case class Asked(
    asked: WindowQuery,
    tokens: Vector[Drawn],
    terms: Option[Int],
    boost: Float
)

final private case class Drawn(postings: Postings, list: ScoredList, weight: Float, place: Int)
