package io.sparklance.dataset.changes

import io.sparklance.dataset.Dataset
import io.sparklance.table.Fragment
import io.sparklance.{LanceFormatException, LanceUsageException}

/** A fragment that a commit has added.
  *
  * @param fragment
  *   as the transaction has it, without an id
  */
final private[sparklance] case class AppendedFragment(version: Long, fragment: Fragment) {
  def rows: Long = fragment.physicalRows.getOrElse(0L)

  /** Size in bytes of its files, as far as it is known. */
  def bytes: Long = fragment.files.flatMap(_.size).sum
}

/** Fragments that commits have added, as they were then.
  *
  * @param dataset
  *   the version with whose columns they are shown
  * @param log
  *   the versions to read, perhaps later ones, too
  */
final private[sparklance] class AppendedRows(dataset: Dataset, log: VersionLog) {
  def this(dataset: Dataset) = this(dataset, new VersionLog(dataset))

  /** Returns a read of the rows that a range of versions has appended: the dataset with only their fragments.
    *
    * @throws io.sparklance.LanceUsageException
    *   if a version of the range replaced the table
    */
  def of(range: VersionRange): Dataset = {
    val steps = log.steps(range)
    val added = steps.flatMap(step => ofStep(step).map(AppendedFragment(step.version, _)))
    show(added, steps, range.toString)
  }

  /** Returns the fragments that a version added, with or without ids. */
  def ofStep(step: VersionStep): Vector[Fragment] = step.effect match {
    case CommitEffect.Appended(fragments) => fragments
    case CommitEffect.Began => log.open(step.version).fragments
    case CommitEffect.NoRows | CommitEffect.Moved | CommitEffect.Columns | CommitEffect.Deleted | CommitEffect.Changed =>
      Vector.empty
    case CommitEffect.Merged => newFragments(step.version)
    case CommitEffect.Replaced(by) => throw replaced(step.version, by)
    case CommitEffect.Other(name) =>
      throw unknown(step.version, s"operation $name, which this release does not know")
    case CommitEffect.Unrecorded =>
      if (step.version == 1) log.open(step.version).fragments
      else throw unknown(step.version, "a commit whose transaction is not recorded")
  }

  /** Returns the fragments that the version before lacks. */
  private def newFragments(version: Long): Vector[Fragment] = {
    val before = log.open(version - 1).fragments.iterator.map(_.id).toSet
    log.open(version).fragments.filterNot(f => before(f.id))
  }

  /** Returns a read of fragments as their versions added them.
    *
    * @param steps
    *   all versions from the first of the fragments to the last, in order
    */
  def show(added: Vector[AppendedFragment], steps: Vector[VersionStep], what: String): Dataset = {
    val last = steps.lastOption.fold(dataset)(step => log.open(step.version))
    val later =
      if (last.manifest.message.fields == dataset.manifest.message.fields) Vector.empty
      else (last.version + 1 to dataset.version).map(log.step).toVector
    val schemas = SchemaSteps.of(log, steps.drop(1) ++ later)
    val runs = new AppendRuns(log, steps, last)
    val found = runs.find(added).map { case (version, fragment) =>
      schemas.between(version, dataset).applyTo(fragment)
    }
    val latest = if (last.version > dataset.version) last else dataset
    latest.showing(dataset.manifest, found, s"rows appended in $what")
  }

  /** Returns a read of fragments of a version. */
  def showing(version: Dataset, fragments: Vector[Fragment], part: String): Dataset = {
    val later =
      if (version.manifest.message.fields == dataset.manifest.message.fields) Vector.empty
      else (version.version + 1 to dataset.version).map(log.step).toVector
    val fields = SchemaSteps.of(log, later).between(version, dataset)
    version.showing(dataset.manifest, fragments.map(fields.applyTo), part)
  }

  private def replaced(version: Long, by: String) = new LanceUsageException(
    s"Version $version replaced all rows of the table at ${dataset.root} ($by), so rows before and after it do not belong together. Start at " +
      s"version ${version + 1} or later, or read the change feed with option 'readChangeFeed'."
  )

  private def unknown(version: Long, what: String) = new LanceUsageException(
    s"Version $version of the table at ${dataset.root} was made by $what, so its rows cannot be told from others. Start at version ${version +
        1} " +
      "or later."
  )
}

/** Finds appended fragments in few manifests: a fragment that later versions left alone is in the last one.
  *
  * @param last
  *   the version of the last step
  */
final private class AppendRuns(log: VersionLog, steps: Vector[VersionStep], last: Dataset) {

  /** The last version of each run of versions that change no existing fragment. */
  private lazy val ends: Map[Long, Long] = steps.reverseIterator
    .scanLeft((last.version + 1, last.version, true)) { case ((_, end, ended), step) =>
      (step.version, if (ended) step.version else end, changesFragments(step.effect))
    }.drop(1).map { case (version, end, _) => version -> end }.toMap

  /** Returns the fragments in their order, each with the version that it was found in. */
  def find(added: Vector[AppendedFragment]): Vector[(Dataset, Fragment)] = {
    val (inLast, others) = added.partition(fragment => in(last, fragment).isDefined)
    val found = others.groupBy(fragment => ends(fragment.version)).toVector.flatMap { case (end, fragments) =>
      val version = log.open(end)
      fragments.map(fragment => (version, in(version, fragment).getOrElse(throw missing(fragment))))
    }
    (inLast.flatMap(fragment => in(last, fragment).map(last -> _)) ++ found).sortBy(_._2.id)
  }

  private lazy val filesOfLast = byFile(last)
  private val byVersion = scala.collection.mutable.Map.empty[Long, Map[String, Fragment]]

  private def byFile(version: Dataset): Map[String, Fragment] =
    (for (fragment <- version.fragments; file <- fragment.files) yield file.path -> fragment).toMap

  /** Returns a fragment in a version, if it is still as it was added. */
  private def in(version: Dataset, added: AppendedFragment): Option[Fragment] = {
    val files =
      if (version.version == last.version) filesOfLast
      else byVersion.getOrElseUpdate(version.version, byFile(version))
    val paths = added.fragment.files.map(_.path).toSet
    paths.headOption.flatMap(files.get).filter { found =>
      found.message.deletionFile == added.fragment.message.deletionFile &&
      found.files.forall(f => paths(f.path))
    }
  }

  private def changesFragments(effect: CommitEffect): Boolean = effect match {
    case CommitEffect.Appended(_) | CommitEffect.NoRows => false
    case CommitEffect.Moved | CommitEffect.Columns | CommitEffect.Merged | CommitEffect.Deleted | CommitEffect.Changed |
        CommitEffect.Replaced(_) | CommitEffect.Began | CommitEffect.Other(_) | CommitEffect.Unrecorded =>
      true
  }

  private def missing(fragment: AppendedFragment) = new LanceFormatException(
    s"version ${fragment.version} lacks a fragment that its transaction added: ${fragment.fragment.files.map(_.path).mkString(", ")}"
  )
}
