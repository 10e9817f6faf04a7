package io.sparklance.index.text

import scala.collection.mutable

import io.sparklance.LanceUsageException
import io.sparklance.data.RowRanges
import io.sparklance.dataset.scan.SplitTarget
import io.sparklance.dataset.snapshot.{RowAddress, Snapshot}
import io.sparklance.index.vector.RowMask
import io.sparklance.schema.{Field, LogicalType}
import io.sparklance.text.{Analysis, TextQuery}
import io.sparklance.vector.{NearestHeap, Neighbors}

/** The rows that match a query, the best first, of equal scores by address.
  *
  * @param scores
  *   parallel to `addresses`
  */
final private[sparklance] case class TextAnswer(addresses: Array[Long], scores: Array[Float]) {
  def size: Int = addresses.length
}

/** Settings of a search.
  *
  * @param limit
  *   greatest number of rows
  * @param among
  *   addresses of the rows among which to search, sorted; all rows if None
  * @param isFast
  *   whether to leave out rows that no index covers
  */
final private[sparklance] case class TextSearchOptions(
    limit: Option[Int],
    among: Option[Array[Long]] = None,
    isFast: Boolean = false
)

/** Searches the texts of a table version by its full-text indices. Texts that no index covers are read.
  * Belongs to one thread.
  *
  * @param flat
  *   reads the texts of some rows
  */
final private[sparklance] class TextSearch(
    snapshot: Snapshot,
    options: TextSearchOptions,
    flat: (FlatQuery, RowRanges) => FlatPart
) {

  /** Indices of columns, which later queries search again. */
  private val opened = mutable.Map.empty[Int, Vector[TextIndex]]

  def find(query: TextQuery): TextAnswer = {
    val rows = evaluate(query)
    val best = new NearestHeap(math.max(1, options.limit.getOrElse(rows.size)))
    rows.foreachEntry((address, score) => best.offer(-score, address))
    val found: Neighbors = if (options.limit.contains(0)) Neighbors.none else best.drain()
    TextAnswer(found.addresses, found.distances.map(-_))
  }

  private def evaluate(query: TextQuery): mutable.LongMap[Float] = query match {
    case leaf: TextQuery.Leaf => ofLeaf(leaf)
    case TextQuery.Boost(positive, negative, factor) =>
      val rows = evaluate(positive)
      evaluate(negative).foreachEntry { (address, score) =>
        rows.get(address).foreach(own => rows.update(address, own - factor * score))
      }
      rows
    case TextQuery.Best(queries) => united(queries)((a, b) => math.max(a, b))
    case TextQuery.Combined(must, should, mustNot) => combined(must, should, mustNot)
  }

  private def united(queries: Vector[TextQuery])(join: (Float, Float) => Float): mutable.LongMap[Float] = {
    val all = mutable.LongMap.empty[Float]
    queries.foreach(evaluate(_).foreachEntry { (address, score) =>
      all.update(address, all.get(address).fold(score)(join(_, score)))
    })
    all
  }

  private def combined(
      must: Vector[TextQuery],
      should: Vector[TextQuery],
      mustNot: Vector[TextQuery]
  ): mutable.LongMap[Float] = {
    if (must.isEmpty && should.isEmpty)
      throw new LanceUsageException(
        "A boolean query has no clause that rows must or should match. Add one, because a search cannot return all other rows."
      )
    val rows =
      if (must.isEmpty) united(should)(_ + _)
      else {
        val parts = must.map(evaluate)
        val all = mutable.LongMap.empty[Float]
        parts.head.foreachEntry { (address, score) =>
          val others = parts.tail.map(_.get(address))
          if (others.forall(_.isDefined)) all.update(address, others.flatten.foldLeft(score)(_ + _))
        }
        should.foreach(evaluate(_).foreachEntry { (address, score) =>
          all.get(address).foreach(own => all.update(address, own + score))
        })
        all
      }
    mustNot.foreach(evaluate(_).foreachKey { address =>
      val _ = rows.remove(address)
    })
    rows
  }

  private def ofLeaf(leaf: TextQuery.Leaf): mutable.LongMap[Float] = {
    val field = TextSearch.field(snapshot, leaf.column)
    val indices = opened.getOrElseUpdate(field.id, TextIndex.of(snapshot, field))
    val search = new LeafSearch(snapshot, field, leaf, options, flat, indices)
    val hits = search.hits()
    val rows = new mutable.LongMap[Float](math.max(16, hits.size))
    var i = 0
    while (i < hits.size) { rows.update(hits.addresses(i), hits.scores(i)); i += 1 }
    rows
  }
}

private[sparklance] object TextSearch {

  /** Reads texts on the calling thread. */
  def local(snapshot: Snapshot)(query: FlatQuery, rows: RowRanges): FlatPart =
    FlatText.splits(snapshot, query, SplitTarget.Rows(1L << 16), rows)
      .map(FlatText.search(snapshot.store, _, query)).foldLeft(FlatText.none(query))(_ + _)

  /** Returns a column with texts, or lists of texts. */
  def field(snapshot: Snapshot, name: String): Field =
    snapshot.schema.fields.find(_.name == name).filter(isText).getOrElse {
      val others = snapshot.schema.fields.filter(isText).map(_.name)
      val problem =
        if (snapshot.schema.fields.exists(_.name == name)) s"Column '$name' has no texts"
        else s"There is no column '$name'"
      throw new LanceUsageException(
        s"$problem, so there is nothing to search. Columns with texts: ${if (others.isEmpty) "none"
          else others.mkString(", ")}."
      )
    }

  def isText(field: Field): Boolean = field.logicalType match {
    case LogicalType.Utf8(_) => true
    case LogicalType.List(_, false) => field.children.exists(isText)
    case _ => false
  }
}

/** Searches the texts of one column for a match or a phrase. */
final private class LeafSearch(
    snapshot: Snapshot,
    field: Field,
    leaf: TextQuery.Leaf,
    options: TextSearchOptions,
    flat: (FlatQuery, RowRanges) => FlatPart,
    indices: Vector[TextIndex]
) {
  private val analysis = indices.headOption.fold(Analysis.plain)(_.parameters.analysis)
  private val partitions = indices.flatMap(_.partitions)
  private val exact = Term.of(analysis, leaf.terms)

  def hits(): TextHits = {
    val out = new TextHits
    checkPositions()
    if (partitions.nonEmpty) indexed(out)
    val rows = uncovered
    if (exact.nonEmpty && !rows.isEmpty && !options.isFast) flatHits(rows, out)
    out
  }

  private def checkPositions(): Unit = leaf match {
    case _: TextQuery.Phrase if indices.exists(!_.parameters.withPosition) =>
      throw new LanceUsageException(
        s"The index '${indices.head.segment.index}' does not have the positions of words, so it cannot find phrases. " +
          "Create it with with_position => true."
      )
    case _: TextQuery.Phrase | _: TextQuery.Match => ()
  }

  private def indexed(out: TextHits): Unit = {
    val terms = leaf match {
      case query: TextQuery.Match if query.fuzziness > 0 =>
        Term.alike(query, partitions.map(_.vocabulary))
      case _ => exact
    }
    val scorer = new Bm25(documents, tokens)
    val weighted = terms.zipWithIndex.flatMap { case (term, place) =>
      term.alternatives.map(token => WeightedToken(token, place, term.at, scorer.weight(frequency(token))))
    }
    if (weighted.nonEmpty) indices.foreach { index =>
      val mask = RowMask.of(snapshot, index.segment.files, index.segment.fragments, options.among)
      val address: Long => Long = id => {
        val found = mask.address(id)
        if (found >= 0 && index.deletedFragments.exists(_.contains(RowAddress.fragment(found)))) -1L
        else found
      }
      index.partitions.filter(_.documents.size > 0).foreach { partition =>
        val search = new PartitionSearch(partition, scorer, partition.isRounded, weighted, address)
        leaf match {
          case query: TextQuery.Match => search.matches(Option.when(query.all)(terms.size), query.boost, out)
          case phrase: TextQuery.Phrase => search.phrase(terms.size, phrase.slop, out)
        }
      }
    }
  }

  private def documents: Long = partitions.iterator.map(_.documents.size.toLong).sum
  private def tokens: Long = partitions.iterator.map(_.documents.tokens).sum

  private def frequency(token: Term.Token): Long = partitions.iterator.map { partition =>
    val id = partition.vocabulary.find(token.bytes)
    if (id < 0) 0L else partition.frequency(id).toLong
  }.sum

  private def uncovered: RowRanges = {
    val all =
      snapshot.fragments.filterNot(f => indices.exists(_.segment.fragments.contains(f.id))).map(fragment =>
        RowAddress.ofFragment(fragment.id, snapshot.physicalRows(fragment))
      )
    val rows = RowRanges.of(all)
    options.among.fold(rows)(among => rows.intersect(RowRanges.ofRows(among)))
  }

  /** Scores texts that no index covers, with the statistics of these and of the index. */
  private def flatHits(rows: RowRanges, out: TextHits): Unit = {
    val names = exact.flatMap(_.alternatives).distinct
    val query = FlatQuery(
      field,
      analysis,
      names.map(_.text),
      exact.map(term => term.at -> term.alternatives.map(names.indexOf(_))),
      needsAll = leaf match {
        case m: TextQuery.Match => m.all
        case _: TextQuery.Phrase => true
      },
      phraseSlop = leaf match {
        case _: TextQuery.Match => None
        case phrase: TextQuery.Phrase => Some(phrase.slop)
      }
    )
    val found = flat(query, rows)
    val scorer = new Bm25(documents + found.documents, tokens + found.tokens)
    val weights = names.indices.map(i => scorer.weight(frequency(names(i)) + found.having(i)))
    val boost = leaf match {
      case m: TextQuery.Match => m.boost
      case _: TextQuery.Phrase => 1f
    }
    found.matches.foreach { text =>
      val norm = scorer.norm(text.length)
      var score = 0f
      for ((_, tokens) <- query.terms; token <- tokens if text.frequencies(token) > 0)
        score += weights(token) * scorer.score(text.frequencies(token), norm)
      out.add(text.address, boost * score)
    }
  }
}
