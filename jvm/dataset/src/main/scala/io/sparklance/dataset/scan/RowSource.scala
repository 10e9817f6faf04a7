package io.sparklance.dataset.scan

/** Finds rows for columns that are decoded late. */
private trait RowSource {

  /** Rows that were found and are not completed yet. */
  def found: PendingRows

  /** Examines the next rows, as many as a batch has at most. Returns false if there are none left. */
  def advance(): Boolean
}
