package io.sparklance.spark.index

import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import io.sparklance.dataset.Dataset
import io.sparklance.index.build.{IndexEntries, StoredSegment}
import io.sparklance.spark.session.TableLocation

/** Brings indices up to date after a commit of something else, which a failure here must not touch: queries
  * scan fragments that no index covers.
  */
private[spark] object IndexRefresh {
  private val log = LoggerFactory.getLogger(getClass)

  /** Indexes the rows of fragments that no segment covers. */
  def afterCommit(location: TableLocation): Unit = { val _ = guarded(location, _ => true) }

  /** Indexes moved rows: brings indices up to date that covered fragments of an earlier version, and do not
    * cover all of those that replaced them. Returns the table afterwards, if an index was changed.
    */
  def afterMoves(location: TableLocation, before: Dataset, after: Dataset): Option[Dataset] = {
    val gone = before.fragments.map(_.id).toSet -- after.fragments.map(_.id)
    def covered(segment: StoredSegment, fragments: Set[Long]) =
      segment.fragments.exists(own => fragments.exists(own.contains))
    val old = IndexEntries.of(before)
    val affected = old.filter(covered(_, gone)).map(_.index).toSet
    if (affected.isEmpty) None else guarded(location, affected)
  }

  private def guarded(location: TableLocation, chosen: String => Boolean): Option[Dataset] =
    try {
      val done = new IndexOptimize(location, Merging.Balanced, retrains = false).all(chosen)
      Option.when(done.nonEmpty)(Dataset.open(location.store, location.root))
    } catch {
      case e: InterruptedException =>
        Thread.currentThread().interrupt()
        failed(location, e)
      case NonFatal(e) => failed(location, e)
    }

  private def failed(location: TableLocation, cause: Throwable): Option[Dataset] = {
    log.warn(s"cannot bring the indices of $location up to date; optimize_indices does it later", cause)
    None
  }
}
