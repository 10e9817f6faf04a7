package io.sparklance.index.search

import io.sparklance.data.RowRanges
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.snapshot.Snapshot
import io.sparklance.index.rows.Candidates
import io.sparklance.index.{ListTest, TableIndices}

/** Finds the rows of a table version that may pass a predicate by its scalar indices. Where the answer is not
  * exact, the readers of the rows evaluate the predicate again.
  *
  * There is no NOT in a [[Predicate]], so each index only finds rows for which a predicate is true. Sets of
  * such rows combine by union and intersection, and the third truth value needs no set of its own.
  */
private[sparklance] object IndexSearch {

  /** Returns None if a scan of all rows is cheaper or the only way.
    *
    * @param lists
    *   further tests that rows must pass
    * @param broken
    *   what to do if a file of an index cannot be read
    */
  def find(
      snapshot: Snapshot,
      predicate: Predicate,
      lists: Vector[ListTest],
      broken: BrokenIndices
  ): Option[IndexAnswer] =
    searching(snapshot, predicate.leaves.map(_.field.id) ++ lists.map(_.listId), broken, SearchGoal.Rows)(
      _.find(predicate, lists)
    )

  /** Counts the rows that pass, of fragments whose indices answer the predicate exactly. Returns None if
    * there are no such fragments, or if that is not worth it.
    */
  def count(snapshot: Snapshot, predicate: Predicate, broken: BrokenIndices): Option[IndexCount] =
    searching(snapshot, predicate.leaves.map(_.field.id), broken, SearchGoal.Count)(
      _.answer(predicate).flatMap(IndexCount.of(snapshot, _))
    )

  /** Returns the addresses of the rows that pass, and of deleted ones among them, if indices answer the
    * predicate exactly in all fragments. They need not be worth reading by their addresses.
    */
  def passing(snapshot: Snapshot, predicate: Predicate, broken: BrokenIndices): Option[RowRanges] =
    searching(snapshot, predicate.leaves.map(_.field.id), broken, SearchGoal.Count)(
      _.answer(predicate).map(_.candidates).filter { found =>
        snapshot.fragments.forall(f => found.exact(f.id)) && found.hasAtMost(MostRanges)
      }.map(_.addresses)
    )

  /** Ranges of rows that are kept in memory. */
  final private val MostRanges = 1L << 20

  private def searching[A](
      snapshot: Snapshot,
      fieldIds: Vector[Int],
      broken: BrokenIndices,
      goal: SearchGoal
  )(ask: IndexSearch => Option[A]): Option[A] = snapshot.locating {
    val fields = fieldIds.toSet
    val segments =
      if (fields.isEmpty) Vector.empty else TableIndices.of(snapshot).filter(s => fields(s.fieldId))
    if (segments.isEmpty) None
    else ask(new IndexSearch(new ColumnSearch(snapshot, segments, broken, goal), goal))
  }

  /** Narrows an answer to rows that may pass a further predicate, too. */
  def narrow(
      answer: IndexAnswer,
      snapshot: Snapshot,
      further: Predicate,
      broken: BrokenIndices
  ): IndexAnswer =
    if (further == Predicate.Always) answer
    else if (answer.found <= FewRows) answer.inexact
    else find(snapshot, further, Vector.empty, broken).fold(answer.inexact)(answer.intersect)

  /** Rows found so far that make it not worth to search further indices. */
  final private val FewRows = 1L << 10

  /** Joins operands on the same leaf, which one index can answer together. */
  private def byLeaf(operands: Vector[Predicate])(join: Vector[Predicate] => Predicate): Vector[Predicate] = {
    val (single, others) = operands.partition(_.leaves.size == 1)
    val leaves = single.flatMap(_.leaves).distinct
    leaves.map { leaf =>
      val own = single.filter(_.leaves.contains(leaf))
      if (own.size == 1) own.head else join(own)
    } ++ others
  }
}

final private class IndexSearch(columns: ColumnSearch, goal: SearchGoal) {
  import IndexSearch._

  def find(predicate: Predicate, lists: Vector[ListTest]): Option[IndexAnswer] =
    conjunction(answer(predicate) +: lists.map(columns.find(_)))
      .filter(answer => isWorthIt(answer.candidates))
      .map { answer =>
        IndexAnswer(
          answer.candidates.addresses,
          answer.candidates.found,
          answer.candidates.exact,
          answer.uses.distinct,
          answer.candidates.unsearched
        )
      }

  /** Whether to read the candidates by their addresses. Decided before these take memory. */
  private def isWorthIt(candidates: Candidates): Boolean =
    candidates.isSearched && candidates.found <= columns.mostWorthIt(candidates) &&
      candidates.hasAtMost(columns.limits.ranges)

  def answer(predicate: Predicate): Option[ColumnAnswer] = predicate match {
    case Predicate.Always | Predicate.Never | Predicate.Unknown => None
    case _ if predicate.leaves.size == 1 => columns.find(predicate)
    case Predicate.AllOf(operands) => all(byLeaf(operands)(Predicate.AllOf(_)))
    case Predicate.AnyOf(operands) => any(byLeaf(operands)(Predicate.AnyOf(_)))
    case _: Predicate.IsNull | _: Predicate.NotNull | _: Predicate.Passes | _: Predicate.Fails =>
      columns.find(predicate)
  }

  /** Intersects the answers that there are. */
  private def all(operands: Vector[Predicate]): Option[ColumnAnswer] = {
    val ordered = operands.sortBy(Selectivity.rank)
    ordered.tail.foldLeft(answer(ordered.head)) { (found, operand) =>
      if (goal == SearchGoal.Rows && found.exists(_.candidates.found <= FewRows)) found.map(_.inexact)
      else conjunction(Vector(found, answer(operand)))
    }
  }

  private def conjunction(answers: Vector[Option[ColumnAnswer]]): Option[ColumnAnswer] = {
    val both = answers.flatten.reduceOption(_.intersect(_))
    if (answers.forall(_.isDefined)) both else both.map(_.inexact)
  }

  /** Unites the answers if all operands have one. */
  private def any(operands: Vector[Predicate]): Option[ColumnAnswer] =
    operands.tail.foldLeft(answer(operands.head)) { (found, operand) =>
      for (a <- found; b <- answer(operand)) yield a.union(b)
    }
}
