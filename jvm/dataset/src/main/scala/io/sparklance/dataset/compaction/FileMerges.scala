package io.sparklance.dataset.compaction

import scala.annotation.tailrec
import scala.util.{Failure, Success, Try}

import io.sparklance.RetryableCommitConflictException
import io.sparklance.dataset.Dataset
import io.sparklance.table.transaction.Operation
import io.sparklance.table.{Fragment, WriteId}

/** Merges the column files of fragments with many of them: plan, run the plan's tasks anywhere, and commit.
  * Rows, their addresses, and what indices cover stay.
  */
private[sparklance] object FileMerges {

  /** Returns the fragments to merge. Leaves out those that a rewrite of rows would replace. */
  def plan(dataset: Dataset, options: CompactionOptions, write: WriteId): Vector[FragmentMerge] =
    dataset.locating {
      val facts = Compaction.factsOf(dataset, options)
      val rewritten = CompactionPlanner.groups(facts, options.unlimited).flatMap(_.fragments).toSet
      val candidates = facts.filter { fragment =>
        fragment.hasManyFiles && !rewritten(fragment) && !options.excludedFragments(fragment.fragment.id)
      }
      val chosen = CompactionPlanner.within(options, candidates.map(f => FragmentGroup(Vector(f))))
      chosen.flatMap(_.fragments).flatMap(f => FragmentMerge.of(dataset, f.fragment, options.groups, write))
    }

  /** Commits the new files. Drops fragments that others rewrote meanwhile; if none is left, it fails with a
    * conflict. Concurrent deletions of rows are kept.
    *
    * @param properties
    *   of the transaction of an operation
    */
  @tailrec
  def commit(
      latest: Dataset,
      done: Vector[MergedFragment],
      properties: Operation => Map[String, String] = _ => Map.empty
  ): MergeOutcome =
    Try(committed(latest, done, properties)) match {
      case Success(dataset) => MergeOutcome(dataset, done)
      case Failure(lost: RetryableCommitConflictException) =>
        val now = latest.refreshed("compaction").getOrElse(throw lost)
        val fragments = byId(now)
        val still = done.filter(_.isStillIn(fragments))
        if (now.version == latest.version || still.isEmpty) throw lost
        commit(now, still, properties)
      case Failure(other) => throw other
    }

  private def committed(
      latest: Dataset,
      done: Vector[MergedFragment],
      properties: Operation => Map[String, String]
  ): Dataset = {
    val fragments = byId(latest)
    val merged = done.map { merge =>
      val files = merge.kept ++ merge.added.map(Dataset.dataFile)
      Fragment(fragments(merge.old.id).message.copy(files = files.map(_.message)))
    }
    // No field gets other values.
    val operation = Operation.Update.ofColumns(merged, fields = Vector.empty, changed = Map.empty)
    latest.commit(operation, properties(operation)).dataset
  }

  private def byId(dataset: Dataset): Map[Long, Fragment] = dataset.fragments.map(f => f.id -> f).toMap
}

/** The result of a merge of column files.
  *
  * @param done
  *   the committed fragments
  */
final private[sparklance] case class MergeOutcome(dataset: Dataset, done: Vector[MergedFragment])
