package io.sparklance.dataset

import io.sparklance.table.commit.CommitOutcome

/** The result of a commit: the table, and the way there.
  *
  * @param dataset
  *   the table afterwards
  * @param commit
  *   how it came to that; files of a repeated batch are not part of the table
  */
final case class WriteOutcome(dataset: Dataset, commit: CommitOutcome)
