package io.sparklance.dataset.snapshot

import io.sparklance.table.Fragment

/** Reads hidden columns: row numbers that a writer has put into data files instead of the manifest. */
private[dataset] trait HiddenNumbers {

  /** Returns the numbers of all rows of a fragment, deleted ones included. */
  def read(snapshot: Snapshot, fragment: Fragment, column: HiddenColumn): Array[Long]
}
