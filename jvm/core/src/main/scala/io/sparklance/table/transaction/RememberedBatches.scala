package io.sparklance.table.transaction

import java.time.Instant

/** The last batches of applications in a table's config: the number of the batch, and the time of its commit
  * in seconds since 1970. Each version has those of its own history, so a RESTORE takes them back, too.
  * {{{
  * sparklance.batch.<application> = 17 1795483800
  * }}}
  */
private[sparklance] object RememberedBatches {
  private val Prefix = "sparklance.batch."

  /** Most applications that are remembered. The one whose last batch is the oldest goes first. */
  final private val Most = 100

  /** Returns the config with the batch of a transaction, if it is to be remembered. */
  def recorded(config: Map[String, String], transaction: Transaction, now: Instant): Map[String, String] =
    BatchId.of(transaction.properties).filter(_.isRemembered).fold(config) { batch =>
      val all = config.updated(Prefix + batch.application, s"${batch.number} ${now.getEpochSecond}")
      val known = all.keys.filter(_.startsWith(Prefix)).toVector
      if (known.size <= Most) all else all -- known.sortBy(key => time(all(key))).take(known.size - Most)
    }

  /** Whether a version with a config contains a batch. */
  def contains(config: Map[String, String], batch: BatchId): Boolean =
    config.get(Prefix + batch.application).flatMap(number).exists(batch.number <= _)

  private def number(value: String): Option[Long] = value.takeWhile(_ != ' ').toLongOption
  private def time(value: String): Long = value.dropWhile(_ != ' ').trim.toLongOption.getOrElse(0L)
}
