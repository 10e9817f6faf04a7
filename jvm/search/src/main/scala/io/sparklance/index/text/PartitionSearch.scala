package io.sparklance.index.text

import java.util.Arrays

/** A token of a query with its weight.
  *
  * @param place
  *   number of its term in the query
  * @param at
  *   position of its term in the text of the query
  */
final private[text] case class WeightedToken(token: Term.Token, place: Int, at: Int, weight: Float)

/** The rows of documents by their ids.
  *
  * @param areAddresses
  *   whether the id of a row is its address, if it may be returned
  * @param address
  *   gives the address of a row, or -1 if it must not be returned
  */
final private[text] case class TextRows(areAddresses: Boolean, address: Long => Long)

/** Searches one partition: adds up the scores of documents, token after token in the order of the query, so
  * that sums are those of the reference.
  *
  * @param rows
  *   gives the address of a document's row
  */
final private[text] class PartitionSearch(
    partition: TextPartition,
    scorer: Bm25,
    tokens: Vector[WeightedToken],
    rows: TextRows,
    windows: WindowSearch
) {
  private val documents = partition.documents
  private val (found, ids) =
    tokens.map(t => t -> partition.vocabulary.find(t.token.bytes)).filter(_._2 >= 0).unzip
  private lazy val lists = ids.map(partition.scored(_, scorer)).toArray

  /** Reads the lists of the tokens together.
    *
    * @param terms
    *   terms of which documents must have a token
    */
  def load(terms: Option[Int]): Unit =
    if (found.nonEmpty && terms.forall(hasAll)) partition.load(ids.toArray.distinct.sorted, scorer)

  /** Passes documents on that have any token, or a token of each of `terms` terms, if given. */
  def matches(terms: Option[Int], boost: Float, out: FoundTexts): Unit =
    if (found.nonEmpty && terms.forall(hasAll)) run(terms, boost, out, _ => true)

  /** Passes documents on that have all terms in the order and at the distances of the query.
    *
    * @param slop
    *   how much greater each distance may be
    */
  def phrase(terms: Int, slop: Int, out: FoundTexts): Unit = if (hasAll(terms)) {
    lazy val places = ids.map(partition.places)
    run(Some(terms), 1f, out, document => isPhrase(document, places, terms, slop))
  }

  /** Whether the partition has tokens of all terms. */
  private def hasAll(terms: Int): Boolean = found.iterator.map(_.place).toSet.size == terms

  private def run(terms: Option[Int], boost: Float, out: FoundTexts, passes: Int => Boolean): Unit = {
    val query = new WindowQuery(lists, found.map(_.weight).toArray, found.map(_.place).toArray, terms)
    windows.run(
      query,
      documents.size,
      boost,
      out.isRanked,
      new DocumentSink {
        def least: Float = out.least
        def add(document: Int, score: Float): Unit = {
          val id = documents.rowIds(document)
          val row = if (rows.areAddresses && !out.takes(id, score)) -1L else rows.address(id)
          if (row >= 0 && passes(document)) out.add(row, score)
        }
      }
    )
  }

  private def isPhrase(document: Int, places: Vector[Places], terms: Int, slop: Int): Boolean =
    PhrasePlaces.areInOrder(
      Vector.tabulate(terms) { term =>
        found.indices.filter(found(_).place == term)
          .flatMap(token => placesOf(document, token, places(token))).toArray.sorted
      },
      slop
    )

  private def placesOf(document: Int, token: Int, places: Places): Array[Int] =
    Arrays.binarySearch(lists(token).documents, document) match {
      case i if i < 0 => Array.emptyIntArray
      case i => Array.range(places.starts(i), places.starts(i + 1)).map(places.values(_) - found(token).at)
    }
}
