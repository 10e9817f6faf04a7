package io.sparklance.dataset.cleanup

import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import io.sparklance.LanceUsageException
import io.sparklance.dataset.snapshot.Snapshot

/** Periodic clean-up after commits, if the table's config asks for it:
  * {{{
  * lance.auto_cleanup.interval          after versions whose number is a multiple of it; 0 is after each
  * lance.auto_cleanup.older_than        minimum age of versions to remove: 14days, 12h 30m
  * lance.auto_cleanup.retain_versions   number of last versions to keep
  * }}}
  * Does nothing without the first key, or without both of the others. Tagged versions stay. A failure does
  * not affect the commit; neither does an interrupt, which ends the clean-up and stays set.
  */
private[dataset] object AutoCleanup {
  private val Prefix = "lance.auto_cleanup."
  private val log = LoggerFactory.getLogger(getClass)

  /** @param committed the version that was just made */
  def after(committed: Snapshot): Unit =
    try
      policy(committed.config, committed.version).foreach { policy =>
        log.info(s"cleaned up ${committed.root}: ${new Cleanup(committed, policy).run()}")
      }
    catch {
      case NonFatal(e) => log.warn(s"cannot clean up ${committed.root} after a commit", e)
      case _: InterruptedException => Thread.currentThread().interrupt()
    }

  /** Returns the policy that a config asks for after a version, if any. */
  private[cleanup] def policy(config: Map[String, String], version: Long): Option[CleanupPolicy] = for {
    interval <- config.get(Prefix + "interval").map(number("interval", _))
    if interval == 0 || version % interval == 0
    olderThan = config.get(Prefix + "older_than").map(CleanupPolicy.age)
    retain = config.get(Prefix + "retain_versions").map(number("retain_versions", _))
    if olderThan.isDefined || retain.isDefined
  } yield CleanupPolicy(olderThan, retain, errorIfTagged = false)

  private def number(name: String, text: String): Long =
    text.toLongOption.filter(_ >= 0).getOrElse(throw wrong(name, text))

  private def wrong(name: String, text: String) = new LanceUsageException(
    s"The table's config $Prefix$name is '$text', but must be a number. Set it to one, or remove it."
  )
}
