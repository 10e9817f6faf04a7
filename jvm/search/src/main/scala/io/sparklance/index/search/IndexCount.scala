package io.sparklance.index.search

import io.sparklance.dataset.snapshot.Snapshot
import io.sparklance.index.rows.FragmentCandidates
import io.sparklance.table.Fragment

/** The number of rows that pass a predicate, of fragments whose indices answer it exactly.
  *
  * @param rows
  *   live rows that pass
  * @param fragments
  *   ids of these fragments
  */
final private[sparklance] case class IndexCount(rows: Long, fragments: Set[Long], uses: Vector[IndexUse])

private[search] object IndexCount {

  // More deletion files than that are read by tasks.
  final private val MaxDeletionFiles = 256

  /** Counts the exact rows of an answer. Reads the deletion files of their fragments. */
  def of(snapshot: Snapshot, answer: ColumnAnswer): Option[IndexCount] = {
    val exact = for {
      fragment <- snapshot.fragments
      own <- answer.candidates.fragments.get(fragment.id) if own.isExact
    } yield fragment -> own
    val deletions = exact.count { case (fragment, own) =>
      fragment.deletionFile.isDefined && !own.offsets.isEmpty
    }
    Option.when(exact.nonEmpty && deletions <= MaxDeletionFiles) {
      val rows = exact.iterator.map { case (fragment, own) => live(snapshot, fragment, own) }.sum
      IndexCount(rows, exact.map(_._1.id).toSet, answer.uses.distinct)
    }
  }

  private def live(snapshot: Snapshot, fragment: Fragment, own: FragmentCandidates): Long =
    if (own.offsets.isEmpty) 0
    else {
      val deleted = snapshot.deletionVector(fragment).fold(0L)(_.deletedAmong(own.offsets))
      own.offsets.getLongCardinality - deleted
    }
}
