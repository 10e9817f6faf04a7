package io.sparklance.index.text

import scala.collection.mutable

import io.sparklance.LanceUsageException
import io.sparklance.text.TextQuery

/** Evaluates queries. Belongs to one thread.
  *
  * @param limit
  *   greatest number of rows of an answer; None if there is none
  * @param search
  *   searches the texts of one column
  */
final private[text] class TextEvaluation(
    limit: Option[Int],
    search: (TextQuery.Leaf, FoundTexts) => Unit
) {
  import TextEvaluation.Rows

  def answer(query: TextQuery): TextAnswer = limit match {
    case Some(limit) => best(query, limit)
    case None =>
      val rows = all(query)
      best(rows, rows.size)
  }

  /** Returns the best rows. Of a row in several queries the best score counts, with which it is also among
    * the best of that query.
    */
  private def best(query: TextQuery, limit: Int): TextAnswer = query match {
    case leaf: TextQuery.Leaf =>
      val found = new BestTexts(limit)
      search(leaf, found)
      found.answer()
    case TextQuery.Best(queries) => best(united(queries.map(one => rows(best(one, limit))))(greater), limit)
    case other @ (_: TextQuery.Boost | _: TextQuery.Combined) => best(all(other), limit)
  }

  private def best(rows: Rows, limit: Int): TextAnswer = {
    val found = new BestTexts(limit)
    rows.foreachEntry(found.add)
    found.answer()
  }

  private def rows(answer: TextAnswer): Rows = {
    val rows = new Rows(math.max(16, answer.size))
    var i = 0
    while (i < answer.size) { rows.update(answer.addresses(i), answer.scores(i)); i += 1 }
    rows
  }

  private def all(query: TextQuery): Rows = query match {
    case leaf: TextQuery.Leaf =>
      val found = new AllTexts
      search(leaf, found)
      found.rows
    case TextQuery.Boost(positive, negative, factor) =>
      val rows = all(positive)
      all(negative).foreachEntry { (address, score) =>
        rows.get(address).foreach(own => rows.update(address, own - factor * score))
      }
      rows
    case TextQuery.Best(queries) => united(queries.map(all))(greater)
    case TextQuery.Combined(must, should, mustNot) => combined(must, should, mustNot)
  }

  private def greater(a: Float, b: Float): Float = math.max(a, b)

  private def united(queries: Vector[Rows])(join: (Float, Float) => Float): Rows = {
    val all = new Rows
    queries.foreach(_.foreachEntry { (address, score) =>
      all.update(address, all.get(address).fold(score)(join(_, score)))
    })
    all
  }

  private def combined(must: Vector[TextQuery], should: Vector[TextQuery], mustNot: Vector[TextQuery])
      : Rows = {
    if (must.isEmpty && should.isEmpty)
      throw new LanceUsageException(
        "A boolean query has no clause that rows must or should match. Add one, because a search cannot return all other rows."
      )
    val rows = if (must.isEmpty) united(should.map(all))(_ + _) else required(must.map(all), should.map(all))
    mustNot.foreach(all(_).foreachKey { address =>
      val _ = rows.remove(address)
    })
    rows
  }

  private def required(must: Vector[Rows], should: Vector[Rows]): Rows = {
    val rows = new Rows
    must.head.foreachEntry { (address, score) =>
      val others = must.tail.map(_.get(address))
      if (others.forall(_.isDefined)) rows.update(address, others.flatten.foldLeft(score)(_ + _))
    }
    should.foreach(_.foreachEntry { (address, score) =>
      rows.get(address).foreach(own => rows.update(address, own + score))
    })
    rows
  }
}

private object TextEvaluation {

  /** Scores by row address. */
  type Rows = mutable.LongMap[Float]
}
