package io.sparklance.spark.search

import java.time.Instant

import io.sparklance.spark.options.ReadOptions
import io.sparklance.spark.session.TableLocation

/** A table and the search of a join in it, whose queries are missing. */
final private[search] case class JoinSource(table: SearchTarget, search: ResolvedSearch) {
  // The time distinguishes the table from one that replaced it and has the same version.
  private def identity: (TableLocation, Long, Instant, ReadOptions, ResolvedSearch) =
    (table.location, table.dataset.version, table.dataset.timestamp, table.read, search)
  override def equals(other: Any): Boolean = other match {
    case that: JoinSource => identity == that.identity
    case _ => false
  }
  override def hashCode: Int = identity.hashCode
}
