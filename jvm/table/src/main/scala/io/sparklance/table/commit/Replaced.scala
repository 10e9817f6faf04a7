package io.sparklance.table.commit

import io.sparklance.{
  IncompatibleCommitConflictException,
  LanceException,
  LanceTableNotFoundException,
  RetryableCommitConflictException
}

/** The errors of a commit whose table is no more. */
private[table] object Replaced {

  /** @param change
    *   that was begun at a version of the dropped table
    * @param latest
    *   version of the table at the same place
    */
  def by(change: String, root: String, begun: Long, latest: Long, cause: Throwable = null): LanceException =
    new IncompatibleCommitConflictException(
      s"The $change to $root was begun at version $begun of a table that was dropped: the table there now, at version $latest, was " +
        "created later. Nothing was committed; read the table and write again.",
      cause
    )

  def dropped(root: String, cause: Throwable = null): LanceException = new LanceTableNotFoundException(
    s"There is no table at $root any more: it was dropped after the write began. Create it again before writing to it.",
    cause
  )

  /** Clean-up has removed the version that could tell. */
  def unclear(change: String, root: String, version: Long): LanceException =
    new RetryableCommitConflictException(
      s"The $change to $root is compatible with version $version, but that version was removed " +
        "meanwhile, so it is not known whether the table there now is still the same. Nothing was " +
        "committed; read the latest version and write again."
    )
}
