package io.sparklance.dataset.erasure

import scala.util.Try

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.cleanup.{BranchRoots, VersionSurvey}
import io.sparklance.io.{ObjectStore, StorePath}
import io.sparklance.table.commit.TransactionFiles
import io.sparklance.table.index.IndexSegments
import io.sparklance.table.refs.Refs
import io.sparklance.table.transaction.{Operation, Transaction}
import io.sparklance.table.{ManifestFile, StatisticsKeys, StoredVersion, VersionIdentity}

/** The place of a version.
  *
  * @param path
  *   of its manifest
  */
final private[sparklance] case class VersionPlace(
    number: Long,
    path: String,
    isDetached: Boolean,
    transactionFile: String
)

/** Values and texts that a version records.
  *
  * @param statistics
  *   statistics of columns in its config, by key
  * @param predicates
  *   conditions and other texts of its transaction
  */
final private[sparklance] case class RecordedValues(
    statistics: Map[String, String],
    predicates: Vector[String]
)

/** A version that exists.
  *
  * @param states
  *   states of its fragments
  * @param segments
  *   segments of its indices
  * @param files
  *   digest of its data files, as in statistics
  */
final private[sparklance] case class KeptVersion(
    place: VersionPlace,
    states: Set[FragmentState],
    segments: Vector[IndexSegments.Segment],
    files: String,
    recorded: RecordedValues
) {
  def number: Long = place.number
  def path: String = place.path
  def isDetached: Boolean = place.isDetached
}

/** The existing versions of a table or branch.
  *
  * @param name
  *   name of the branch, or root of the clone
  * @param dataset
  *   the latest version
  * @param versions
  *   oldest first
  * @param whole
  *   names of data files all of whose columns a version shows
  */
final private[sparklance] case class TableHistory(
    kind: HistoryKind,
    name: String,
    dataset: Dataset,
    versions: Vector[KeptVersion],
    layers: Vector[StateLayer],
    whole: Set[String]
) {
  def root: String = dataset.root

  /** Names of data files of which its versions speak. */
  def files: Set[String] = versions.flatMap(_.states).flatMap(_.names).toSet
}

private[sparklance] object TableHistory {

  /** Returns the history of a table or branch. */
  def own(dataset: Dataset): TableHistory = {
    val latest = Dataset.open(dataset.store, dataset.root)
    read(latest, HistoryKind.Own, latest.manifest.branch.getOrElse("main"))
  }

  /** Returns the histories of all other branches of the table. */
  def branches(dataset: Dataset): Vector[TableHistory] = {
    val refs = refsOf(dataset)
    val tree = StorePath.join(refs.main, "tree")
    val others = (refs.main +: BranchRoots.all(dataset.store, refs)).filterNot(_ == dataset.root)
    others.filter(root => Dataset.exists(dataset.store, root)).map { root =>
      val name = if (root == refs.main) "main" else root.stripPrefix(tree + "/")
      read(Dataset.open(dataset.store, root), HistoryKind.Branch, name)
    }
  }

  /** Returns the root of the main branch. */
  def main(dataset: Dataset): String = refsOf(dataset).main

  private[erasure] def refsOf(dataset: Dataset): Refs =
    new Refs(dataset.store, dataset.root, dataset.manifest.branch)

  private[erasure] def read(latest: Dataset, kind: HistoryKind, name: String): TableHistory = {
    val survey = new VersionSurvey(latest.store, latest.root)
    val collector = new StateCollector(latest.root)
    def kept(isDetached: Boolean)(file: ManifestFile) =
      survey.read(file).map(stored => version(latest.store, latest.root, file, isDetached, stored, collector))
    val versions =
      survey.detached().flatMap(kept(isDetached = true)(_)) ++
        survey.attached().flatMap(kept(isDetached = false)(_))
    val layers = collector.layers(latest, isNumbered = kind == HistoryKind.Own)
    TableHistory(kind, name, latest, versions, layers, collector.whole)
  }

  private def version(
      store: ObjectStore,
      root: String,
      file: ManifestFile,
      isDetached: Boolean,
      stored: StoredVersion,
      collector: StateCollector
  ): KeptVersion = {
    val manifest = stored.manifest
    val transaction = Try(new TransactionFiles(store, root).of(stored.origin)).toOption.flatten
    KeptVersion(
      VersionPlace(file.version, file.path, isDetached, manifest.message.transactionFile),
      collector.add(manifest).toSet,
      stored.indexSection.fold(Vector.empty[IndexSegments.Segment])(IndexSegments.of),
      VersionIdentity.filesOf(manifest),
      RecordedValues(
        manifest.config.filter(_._1.startsWith(StatisticsKeys.Prefix)),
        transaction.fold(Vector.empty[String])(predicates)
      )
    )
  }

  private def predicates(transaction: Transaction): Vector[String] = {
    val recorded = transaction.properties.toVector.collect {
      case (key, text) if key.startsWith("sparklance.parameter.") => text
    }
    val own = Some(transaction.operation).collect { case Operation.Delete(message, _) => message.predicate }
    (recorded ++ own).filter(_.nonEmpty)
  }
}
