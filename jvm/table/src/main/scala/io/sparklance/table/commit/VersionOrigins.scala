package io.sparklance.table.commit

import scala.collection.BufferedIterator
import scala.util.Try

import io.sparklance.LanceTableNotFoundException
import io.sparklance.io.{Concurrently, ObjectStore}
import io.sparklance.table.transaction.Transaction
import io.sparklance.table.{ManifestFile, ManifestNaming, Versions}

/** A version with its transaction; None if it is unknown. */
final private[commit] case class VersionOrigin(file: ManifestFile, transaction: Option[Transaction])

/** Reads what made versions: from stores that take long to answer, several at a time, of which the manifests
  * are not too large together.
  */
final private[commit] class VersionOrigins(
    store: ObjectStore,
    versions: Versions,
    transactions: TransactionFiles
) {
  import VersionOrigins._

  /** Returns the origins in the order of `wanted`; None for removed versions. A failure is thrown at its
    * version.
    *
    * @param listed
    *   those of them that a listing contained
    * @param naming
    *   naming of the others
    */
  def apply(
      wanted: Iterator[Long],
      listed: Map[Long, ManifestFile],
      naming: ManifestNaming
  ): Iterator[(Long, Option[VersionOrigin])] = {
    val rest = wanted.buffered
    Iterator
      .continually(group(rest, listed))
      .takeWhile(_.nonEmpty)
      .flatMap { group =>
        val found =
          Concurrently.mapToEnd(group, atATime)(version => Try(read(version, listed.get(version), naming)))
        group.iterator.zip(found).map { case (version, made) => version -> made.get }
      }
  }

  /** Reading local files takes less than handing them to other threads. */
  private def atATime: Int =
    if (store.profile.readAhead == 0) 1 else math.min(MaxVersions, store.profile.firstRequests)

  private def group(rest: BufferedIterator[Long], listed: Map[Long, ManifestFile]): Vector[Long] = {
    val versions = Vector.newBuilder[Long]
    var (count, bytes) = (0, 0L)
    while (rest.hasNext && (count == 0 || count < atATime && bytes < MaxBytes)) {
      bytes += listed.get(rest.head).flatMap(_.size).getOrElse(0L)
      count += 1
      versions += rest.next()
    }
    versions.result()
  }

  private def read(
      version: Long,
      listed: Option[ManifestFile],
      naming: ManifestNaming
  ): Option[VersionOrigin] =
    listed.orElse(versions.unlisted(version, naming)).flatMap { file =>
      try Some(VersionOrigin(file, transactions.of(versions.origin(file))))
      catch { case _: LanceTableNotFoundException => None }
    }
}

private object VersionOrigins {
  private val MaxVersions = 16

  /** Another manifest is read along as long as the others have less. */
  private val MaxBytes = 32L << 20
}
