package io.sparklance.table.transaction

import java.time.Instant

/** The last batches of applications in a table's config: the number of the batch, the time of its commit in
  * seconds since 1970, and the name that the user gave the application. Each version has those of its own
  * history, so a RESTORE takes them back, too.
  * {{{
  * sparklance.batch.<application> = 17 1795483800 orders of today
  * }}}
  */
private[sparklance] object RememberedBatches {
  val Prefix: String = "sparklance.batch."

  /** Most applications that are remembered. The one whose last batch is the oldest goes first. */
  final private val Most = 100

  /** Returns the config with the batch of a transaction, if it is to be remembered. */
  def recorded(config: Map[String, String], transaction: Transaction, now: Instant): Map[String, String] =
    BatchId.of(transaction.properties).filter(_.isRemembered).fold(config) { batch =>
      val value = (Vector(batch.number.toString, now.getEpochSecond.toString) ++ batch.name).mkString(" ")
      val all = config.updated(Prefix + batch.application, value)
      val known = all.keys.filter(_.startsWith(Prefix)).toVector
      if (known.size <= Most) all else all -- known.sortBy(key => time(all(key))).take(known.size - Most)
    }

  /** Returns the last batch of each application that a config remembers. */
  def in(config: Map[String, String]): Vector[BatchId] =
    config.iterator.filter(_._1.startsWith(Prefix)).flatMap { case (key, value) =>
      val parts = value.split(" ", 3)
      parts.head.toLongOption.map(BatchId(key.drop(Prefix.length), _, isRemembered = true, parts.lift(2)))
    }.toVector

  /** Whether a config may have lost batches, because there were too many applications. */
  def isFull(config: Map[String, String]): Boolean = config.keys.count(_.startsWith(Prefix)) >= Most

  private def time(value: String): Long = value.split(" ", 3).lift(1).flatMap(_.toLongOption).getOrElse(0L)
}
