package io.sparklance.index.text

/** Rows that match, with their scores. */
final private[sparklance] class TextHits {
  var addresses: Array[Long] = new Array[Long](16)
  var scores: Array[Float] = new Array[Float](16)
  var size: Int = 0

  def add(address: Long, score: Float): Unit = {
    if (size == addresses.length) {
      addresses = java.util.Arrays.copyOf(addresses, 2 * size)
      scores = java.util.Arrays.copyOf(scores, 2 * size)
    }
    addresses(size) = address
    scores(size) = score
    size += 1
  }
}

/** A token of a query with its weight.
  *
  * @param place
  *   number of its term in the query
  * @param at
  *   position of its term in the text of the query
  */
final private[text] case class WeightedToken(token: Term.Token, place: Int, at: Int, weight: Float)

/** Searches one partition: adds up the scores of documents, token after token in the order of the query, so
  * that sums are those of the reference.
  *
  * @param address
  *   gives the address of a document's row, or -1 if it must not be returned
  */
final private[text] class PartitionSearch(
    partition: TextPartition,
    scorer: Bm25,
    isRounded: Boolean,
    tokens: Vector[WeightedToken],
    address: Long => Long
) {
  private val documents = partition.documents
  private val found: Vector[(WeightedToken, Int)] =
    tokens.map(t => t -> partition.vocabulary.find(t.token.bytes)).filter(_._2 >= 0)

  /** Passes documents on that have any token, or a token of each of `terms` terms, if given. */
  def matches(terms: Option[Int], boost: Float, out: TextHits): Unit =
    if (found.nonEmpty && terms.forall(hasAll)) {
      val scores = new Array[Float](documents.size)
      val seen = new Array[Int](documents.size)
      found.foreach { case (token, id) => add(partition.postings(id), token, terms.isDefined, scores, seen) }
      val least = terms.getOrElse(1)
      var i = 0
      while (i < documents.size) {
        if (seen(i) >= least) emit(i, boost * scores(i), out)
        i += 1
      }
    }

  /** Whether the partition has tokens of all terms. */
  private def hasAll(terms: Int): Boolean = found.iterator.map(_._1.place).toSet.size == terms

  /** @param seen
    *   number of terms found, as long as none is missing; 1 if any term is enough
    */
  private def add(
      list: Postings,
      token: WeightedToken,
      needsAll: Boolean,
      scores: Array[Float],
      seen: Array[Int]
  ): Unit = {
    val before = if (needsAll) token.place else 0
    var i = 0
    while (i < list.size) {
      val id = list.documents(i)
      scores(id) += token.weight * scorer.score(list.frequencies(i), norm(id))
      if (seen(id) == before) seen(id) = before + 1
      i += 1
    }
  }

  private def norm(document: Int): Float = {
    val length = documents.lengths(document)
    scorer.norm(if (isRounded) Bm25.rounded(length) else length)
  }

  /** Passes documents on that have all terms in the order and at the distances of the query.
    *
    * @param slop
    *   how much greater each distance may be
    */
  def phrase(places: Int, slop: Int, out: TextHits): Unit = if (hasAll(places)) {
    val byPlace = (0 until places).map(place =>
      found.filter(_._1.place == place).map { case (token, id) =>
        (token, partition.postings(id))
      }
    )
    val lead = byPlace.minBy(_.iterator.map(_._2.size.toLong).sum)
    val candidates = lead.iterator.flatMap(_._2.documents.iterator).toArray.distinct.sorted
    candidates.foreach { document =>
      val at = byPlace.map(_.map { case (token, list) =>
        (token, list, java.util.Arrays.binarySearch(list.documents, document))
      }.filter(_._3 >= 0))
      if (at.forall(_.nonEmpty) && isPhrase(at.flatten, places, slop)) {
        var score = 0f
        at.flatten.foreach { case (token, list, i) =>
          score += token.weight * scorer.score(list.frequencies(i), norm(document))
        }
        emit(document, score, out)
      }
    }
  }

  private def isPhrase(tokens: IndexedSeq[(WeightedToken, Postings, Int)], places: Int, slop: Int): Boolean =
    PhrasePlaces.areInOrder(
      (0 until places).map { place =>
        tokens.filter(_._1.place == place).flatMap { case (token, _, i) =>
          val all = partition.places(partition.vocabulary.find(token.token.bytes))
          (all.starts(i) until all.starts(i + 1)).map(all.values(_) - token.at)
        }.toArray.sorted
      },
      slop
    )

  private def emit(document: Int, score: Float, out: TextHits): Unit = {
    val row = address(documents.rowIds(document))
    if (row >= 0) out.add(row, score)
  }
}
