package io.sparklance.spark.erasure

import java.time.{Duration, Instant}

import io.sparklance.dataset.erasure.{
  FragmentState,
  HistoryKind,
  JobNote,
  KeptVersion,
  OrphanFile,
  SearchedFile,
  SearchedFiles,
  TableHistory
}
import io.sparklance.table.refs.{Refs, VersionRefs}

/** Tells what erasure does about the findings of a survey, and what it leaves.
  *
  * @param takesOrphans
  *   whether files that no version refers to are removed even if they may belong to a running write
  * @param unbuildable
  *   names of indices that cannot be built again
  */
final private[erasure] class Removable(survey: Survey, takesOrphans: Boolean, unbuildable: Set[String]) {
  import Removable._

  private val own = survey.own
  private val store = own.dataset.store
  val holders = new Holders(own, survey)

  /** Versions of the table that hold erased rows, each with the reason. */
  val holding: Vector[(KeptVersion, String)] = own.versions.flatMap(v => holders.reason(v).map(v -> _))

  /** Tags and branches that keep versions of the table. */
  private val keepers: Map[Long, Vector[(String, String)]] = {
    val named = VersionRefs.of(new Refs(store, own.root, own.dataset.manifest.branch))
    def of(kind: String, refs: Vector[(String, Long)]) =
      refs.map { case (name, version) => version -> (kind -> name) }
    (of("tag", named.tags) ++ of("branch", named.branches)).groupMap(_._1)(_._2)
  }

  /** Versions that are removed. None is as long as an index stays that holds erased rows: nothing else would
    * tell a later call that it does.
    */
  def versions: Vector[(KeptVersion, String)] = if (stuck.nonEmpty) Vector.empty else free

  private def free: Vector[(KeptVersion, String)] =
    holding.filter { case (v, _) => !v.isDetached && !keepers.contains(v.number) }

  /** Ids of fragments of the latest version that are written again. */
  def fragments: Set[Long] = own.dataset.fragments
    .filter(_.files.exists(file => survey.holders(FragmentState.name(file.path)))).map(_.id).toSet

  /** Names of indices of the latest version that are built again. */
  def indices: Set[String] = held.diff(unbuildable)

  /** Names of those that cannot be. */
  private def stuck: Set[String] = held.intersect(unbuildable)

  private def held: Set[String] =
    latest.fold(Set.empty[String])(_.segments.filter(holders.holds).map(_.index).toSet)

  /** Keys of statistics of the latest version that are removed. */
  def statistics: Vector[String] = latest.fold(Vector.empty[String])(holders.statistics)

  private def latest: Option[KeptVersion] = own.versions.filterNot(_.isDetached).lastOption

  /** Records of backfill jobs that are removed, with their files. A job that still runs cannot commit these,
    * because their fragments are written again.
    */
  def notes: Vector[JobNote] =
    survey.files.notes.filter(note => isHere(note.path) && note.isOf(survey.holders))

  private val noted = notes.flatMap(_.files.lastOption).toSet

  /** Orphans that are removed: what these jobs have written, and what is too old for a running write. */
  def orphans: Vector[OrphanFile] = heldOrphans.filter { file =>
    isHere(file.path) && (takesOrphans || noted(file.name) || isOld(file.modifiedMillis))
  }

  private def heldOrphans: Vector[OrphanFile] =
    survey.files.orphans.filter(file => survey.holders(file.name) || noted(file.name))

  /** Other files that no version refers to and that are removed. */
  def strays: Vector[String] = stray.filter { file =>
    isHere(file.path) && (takesOrphans || isOld(file.modifiedMillis))
  }.map(_.path)

  private def stray: Vector[SearchedFile] = unreferenced.filter(_.isOwn)

  /** Files with texts of erased rows to which no version refers, data files excluded. */
  private def unreferenced: Vector[SearchedFile] = {
    val orphans = survey.files.orphans.map(_.path).toSet
    survey.files.hits.filterNot(file => ofVersions(file.path) || orphans(file.path))
  }

  /** Whether a file is in the directory of the table itself, and not of another branch. */
  private def isHere(path: String): Boolean = {
    val inner = survey.others.map(_.root).filter(_.startsWith(s"${own.root}/"))
    path.startsWith(s"${own.root}/") && !inner.exists(root => path.startsWith(s"$root/"))
  }

  /** Places that still hold erased rows, and stay. */
  def remaining: Vector[Finding] = kept ++ others ++
    stuck.toVector.sorted.map(Finding.remains("index", _, "cannot be built here; drop it")) ++
    heldOrphans.diff(orphans).map(file => Finding.remains("orphan", file.path, Running)) ++
    stray.map(_.path).diff(strays).map(Finding.remains("orphan", _, Running)) ++
    unreferenced.filterNot(_.isOwn).map(_.path).map(Finding.remains("file", _, Foreign))

  private def kept: Vector[Finding] = holding.flatMap { case (version, reason) =>
    val what = s"version ${version.number}: $reason"
    def stays(why: String) = Vector(Finding.remains("version", version.number, s"$reason; $why"))
    if (version.isDetached) stays("detached, which stays")
    else if (stuck.nonEmpty && !keepers.contains(version.number)) stays("stays as long as the index")
    else
      keepers.getOrElse(version.number, Vector.empty).map { case (kind, name) =>
        val begins = if (kind == "branch") s"begins at $what; delete the branch" else s"$what; delete the tag"
        Finding.remains(kind, name, begins)
      }
  }

  private def others: Vector[Finding] = survey.others.flatMap { history =>
    val theirs = new Holders(history, survey)
    val found = history.versions.filter(theirs.reason(_).isDefined).map(_.number)
    Option.when(found.nonEmpty) {
      val numbers = found.take(MostNamed).mkString(", ") + (if (found.size > MostNamed) ", …" else "")
      Finding.remains(
        kindOf(history),
        history.name,
        s"${if (found.size == 1) "version" else "versions"} $numbers; erase the rows there, too"
      )
    }
  }

  private def kindOf(history: TableHistory): String = history.kind match {
    case HistoryKind.Own | HistoryKind.Branch => "branch"
    case HistoryKind.Clone => "clone"
  }

  /** Names of files that clones use, which must stay for them. */
  def spared: Set[String] = survey.others.filter(_.kind == HistoryKind.Clone).flatMap(_.versions)
    .flatMap(v => v.states.flatMap(_.names) ++ v.segments.map(_.uuid)).toSet

  /** Whether a version refers to a file, or is in it. */
  private val ofVersions: String => Boolean = {
    val files = survey.histories.flatMap { history =>
      history.versions.flatMap(v =>
        Vector(v.path, s"${history.root}/_transactions/${v.place.transactionFile}")
      )
    }.toSet
    val referred = survey.files.referred
    path =>
      files(path) || referred.isKnown(FragmentState.name(path)) ||
        SearchedFiles.segment(path).exists(referred.segments)
  }

  private val week = Instant.now().minus(Duration.ofDays(7))
  private def isOld(millis: Long): Boolean = Instant.ofEpochMilli(millis).isBefore(week)
}

private object Removable {
  final private val MostNamed = 10

  final private val Running =
    "no version refers to it, but a running write may; if there is none, erase with delete_unverified"

  final private val Foreign = "no file of the table; remove it"
}
