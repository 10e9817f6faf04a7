package io.sparklance.dataset.changes

import java.time.Instant

import scala.collection.concurrent.TrieMap

import io.sparklance.dataset.Dataset
import io.sparklance.table.commit.TransactionFiles
import io.sparklance.table.{ManifestFile, VersionIdentity, Versions}
import io.sparklance.{LanceFormatException, LanceTableNotFoundException}

/** The versions that a table still has, up to that of a dataset. Lists their names once. */
final private[sparklance] class VersionLog(val dataset: Dataset) {
  private val known = TrieMap.empty[Long, VersionStep]

  private val versions = new Versions(dataset.store, dataset.root)
  private val transactions = new TransactionFiles(dataset.store, dataset.root)
  private lazy val files = versions.list().filter(_.version <= dataset.version)
  private lazy val byNumber = files.map(file => file.version -> file).toMap

  /** Numbers of the versions, ascending. */
  def numbers: Vector[Long] = files.map(_.version)

  /** Returns the transactions of a range.
    *
    * @throws io.sparklance.LanceTableNotFoundException
    *   if one of the versions was cleaned up
    */
  def steps(range: VersionRange): Vector[VersionStep] = (range.start to range.end).iterator.map(step).toVector

  def step(version: Long): VersionStep = known.getOrElseUpdate(version, read(version))

  /** Takes over transactions that another log of the same table has read. */
  def knowing(other: VersionLog): VersionLog = {
    known ++= other.known
    this
  }

  private def read(version: Long): VersionStep = {
    val found = file(version)
    val made = LanceFormatException.locating(found.location)(transactions.of(versions.origin(found)))
    VersionStep(version, made)
  }

  /** Returns the identity of a version, if the table still has it. */
  def identity(version: Long): Option[String] =
    if (version == dataset.version) Some(VersionIdentity.of(dataset.manifest).text)
    else byNumber.get(version).map(versions.identity(_).text)

  def has(version: Long): Boolean = byNumber.contains(version)

  /** Opens a version. */
  def open(version: Long): Dataset =
    if (version == dataset.version) dataset else Dataset.openFile(dataset.store, dataset.root, file(version))

  /** Returns the number of versions, the oldest first, whose times pass a test that later ones fail. */
  def partitionPoint(test: Instant => Boolean): Int = {
    var (low, high) = (0, files.size)
    while (low < high) {
      val middle = low + high >>> 1
      if (test(open(files(middle).version).timestamp)) low = middle + 1 else high = middle
    }
    low
  }

  private def file(version: Long): ManifestFile = byNumber.getOrElse(version, throw missing(version))

  private def missing(version: Long) = new LanceTableNotFoundException(
    s"Version $version of the table at ${dataset.root} is needed to read its changes, but it was cleaned up; the oldest version kept is " +
      s"${numbers.headOption.fold("none")(_.toString)}. Start at a version after the oldest one."
  )
}
