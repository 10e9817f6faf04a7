package io.sparklance.index.text

import io.sparklance.data.RowRanges
import io.sparklance.dataset.snapshot.{RowAddress, Snapshot}
import io.sparklance.index.vector.RowMask
import io.sparklance.schema.Field
import io.sparklance.text.{Analysis, TextQuery}

/** The texts of a column, and what all searches of them share. For any number of threads.
  *
  * @param among
  *   addresses of the rows among which to search, sorted; all rows if None
  */
final private[text] class SearchedTexts(
    val snapshot: Snapshot,
    val field: Field,
    among: Option[Array[Long]]
) {
  val indices: Vector[TextIndex] = TextIndex.of(snapshot, field)
  val analysis: Analysis = indices.headOption.fold(Analysis.plain)(_.parameters.analysis)
  private val analyzer = ThreadLocal.withInitial(() => analysis.analyzer())

  /** All partitions of the index. */
  val partitions: Vector[TextPartition] = indices.flatMap(_.partitions)
  lazy val documents: Long = partitions.iterator.map(_.documents.size.toLong).sum
  lazy val tokens: Long = partitions.iterator.map(_.documents.tokens).sum
  lazy val scorer: Bm25 = new Bm25(documents, tokens)

  /** Partitions with documents, and their rows. */
  lazy val searched: Vector[(TextPartition, TextRows)] = indices.flatMap { index =>
    val mask = RowMask.of(snapshot, index.segment.files, index.segment.fragments, among)
    val deleted = index.deletedFragments.filter(_.last >= 0)
    val address: Long => Long = deleted.fold[Long => Long](mask.address) { deleted => id =>
      val found = mask.address(id)
      if (found >= 0 && deleted.contains(RowAddress.fragment(found))) -1L else found
    }
    index.partitions.filter(_.documents.size > 0).map(_ -> TextRows(!snapshot.hasStableRowIds, address))
  }

  /** Rows that no index covers. */
  lazy val uncovered: RowRanges = {
    val all = snapshot.fragments.filterNot(f => indices.exists(_.segment.fragments.contains(f.id))).map(f =>
      RowAddress.ofFragment(f.id, snapshot.physicalRows(f))
    )
    val rows = RowRanges.of(all)
    among.fold(rows)(among => rows.intersect(RowRanges.ofRows(among)))
  }

  /** Returns the tokens of a query's text. */
  def terms(text: String): Vector[Term] = Term.of(analyzer.get, text)

  /** Returns the number of documents that have a token. */
  def frequency(token: Term.Token): Long = partitions.iterator.map { partition =>
    val id = partition.vocabulary.find(token.bytes)
    if (id < 0) 0L else partition.frequency(id).toLong
  }.sum

  /** Caches the posting lists of queries, reading each part of the index once. */
  def load(queries: Vector[TextQuery.Leaf]): Unit = {
    val exact = queries.filter {
      case words: TextQuery.Match => words.fuzziness == 0
      case _: TextQuery.Phrase => true
    }
    val tokens = exact.map(_.terms).distinct.flatMap(terms(_).flatMap(_.alternatives)).distinct
    searched.foreach { case (partition, _) =>
      val ids = tokens.iterator.map(token => partition.vocabulary.find(token.bytes)).filter(_ >= 0)
      partition.load(ids.toArray.sorted, scorer)
    }
  }
}
