package io.sparklance.dataset.compaction

import io.sparklance.LanceUsageException

/** Chooses fragments like pylance. Candidates are small fragments, which need a neighbour, and fragments with
  * many deleted rows, or with many data files that cannot be merged otherwise. Adjacent candidates covered by
  * the same indices form a run. A run is divided as soon as it has the rows of a fragment and enough remain
  * for another.
  */
private[compaction] object CompactionPlanner {

  /** @param fragments the table's fragments, in order */
  def groups(fragments: Vector[FragmentFacts], options: CompactionOptions): Vector[FragmentGroup] = {
    val worthwhile = runs(fragments, options).filter(run => run.size > 1 || isWorthwhile(run.head, options))
    within(options, worthwhile.flatMap(cut(_, options.targetRowsPerFragment)).map(FragmentGroup(_)))
  }

  private def runs(
      fragments: Vector[FragmentFacts],
      options: CompactionOptions
  ): Vector[Vector[FragmentFacts]] = {
    val runs = Vector.newBuilder[Vector[FragmentFacts]]
    var run = Vector.empty[FragmentFacts]
    def close(): Unit = {
      if (run.nonEmpty) runs += run
      run = Vector.empty
    }
    fragments.foreach { next =>
      if (!isCandidate(next, options)) close()
      else {
        if (run.headOption.exists(_.indices != next.indices)) close()
        run :+= next
      }
    }
    close()
    runs.result()
  }

  private def isCandidate(fragment: FragmentFacts, options: CompactionOptions): Boolean =
    !options.excludedFragments(fragment.fragment.id) &&
      (isWorthwhile(fragment, options) || fragment.physicalRows < options.targetRowsPerFragment)

  /** Whether a fragment is rewritten without a neighbour. */
  private def isWorthwhile(fragment: FragmentFacts, options: CompactionOptions): Boolean =
    options.rewritesAll || fragment.needsRewrite || isSparse(fragment, options)

  /** Whether a fragment has enough deleted rows. */
  private def isSparse(fragment: FragmentFacts, options: CompactionOptions): Boolean =
    options.materializeDeletions && options.materializeDeletionsThreshold < 1 &&
      fragment.deletedRows.toFloat / fragment.physicalRows.toFloat > options.materializeDeletionsThreshold

  private def cut(run: Vector[FragmentFacts], target: Long): Vector[Vector[FragmentFacts]] = {
    val pieces = Vector.newBuilder[Vector[FragmentFacts]]
    var piece = Vector.empty[FragmentFacts]
    var rows = 0L
    var left = run.map(_.liveRows).sum
    run.foreach { fragment =>
      piece :+= fragment
      rows += fragment.liveRows
      left -= fragment.liveRows
      if (rows >= target && left >= target) {
        pieces += piece
        piece = Vector.empty
        rows = 0
      }
    }
    (pieces += piece).result().filter(_.nonEmpty)
  }

  /** Returns the first groups that together stay within the limits. */
  def within(options: CompactionOptions, groups: Vector[FragmentGroup]): Vector[FragmentGroup] = {
    def fits(limit: Option[Long], measure: FragmentGroup => Long): Int = limit.fold(groups.size) { most =>
      groups.iterator.scanLeft(0L)((sum, group) => sum + measure(group)).drop(1).takeWhile(_ <= most).size
    }
    groups.take(
      Seq(
        fits(options.maxSourceFragments, _.fragments.size.toLong),
        fits(options.maxSourceRows, _.liveRows),
        fits(options.maxSourceBytes, _.fragments.map(bytes).sum)
      ).min
    )
  }

  private def bytes(fragment: FragmentFacts): Long = fragment.bytes.getOrElse(
    throw new LanceUsageException(
      "Compaction was limited by max_source_bytes, but the table does not record the size of fragment " +
        s"${fragment.fragment.id}. Limit it by max_source_rows or max_source_fragments."
    )
  )
}
