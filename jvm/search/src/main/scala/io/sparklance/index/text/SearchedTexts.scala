package io.sparklance.index.text

import scala.util.Using

import io.sparklance.data.RowRanges
import io.sparklance.dataset.snapshot.{RowAddress, Snapshot}
import io.sparklance.index.Footers
import io.sparklance.index.vector.RowMask
import io.sparklance.io.IoScheduler
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

  /** Does something for all items: side by side, if the store is read ahead. */
  def each[A, B](items: Vector[A])(action: A => B): Vector[B] =
    Using.resource(IoScheduler.shared.task(snapshot.store.profile))(_.map(items)(action)).map(_.get)

  val indices: Vector[TextIndex] =
    each(TextSegment.of(snapshot, field.preOrder.map(_.id)))(TextIndex.open(snapshot.store, _))
  val analysis: Analysis = indices.headOption.fold(Analysis.plain)(_.parameters.analysis)
  private val analyzer = ThreadLocal.withInitial(() => analysis.analyzer())

  /** All partitions of the index. */
  val partitions: Vector[TextPartition] = indices.flatMap(_.partitions)
  lazy val documents: Long = partitions.iterator.map(_.documents.size.toLong).sum
  lazy val tokens: Long = partitions.iterator.map(_.documents.tokens).sum
  lazy val scorer: Bm25 = new Bm25(documents, tokens)

  private val masks = new Once(
    each(indices)(index => RowMask.of(snapshot, index.segment.files, index.segment.fragments, among))
  )

  /** Reads what all searches need. */
  def open(): Unit = {
    Using.resource(IoScheduler.shared.task(snapshot.store.profile))(Footers.begin(snapshot, _))
    val _ = each(partitions.flatMap(_.opening) :+ { () =>
      val _ = masks.value
    })(_.apply())
  }

  /** Partitions with documents, and their rows. */
  lazy val searched: Vector[(TextPartition, TextRows)] =
    indices.zip(masks.value).flatMap { case (index, mask) =>
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
    val _ = each(searched) { case (partition, _) =>
      val ids = tokens.iterator.map(token => partition.vocabulary.find(token.bytes)).filter(_ >= 0)
      partition.load(ids.toArray.sorted, scorer)
    }
  }
}
