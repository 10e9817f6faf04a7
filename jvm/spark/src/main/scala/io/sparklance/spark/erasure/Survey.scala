package io.sparklance.spark.erasure

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.SparkSession

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.erasure.{
  FragmentState,
  HistoryKind,
  JobNote,
  JobNotes,
  OrphanFile,
  OrphanFiles,
  ReferredFiles,
  SearchedFile,
  SearchedFiles,
  Sought,
  SoughtTexts,
  StateLayer,
  TableClones,
  TableHistory
}
import io.sparklance.spark.session.TableLocation
import io.sparklance.table.StatisticsKeys

/** Files that no version, or not the rows of one, leads to.
  *
  * @param referred
  *   files that versions lead to
  * @param hits
  *   files with one of the texts, data files of versions excluded
  * @param searched
  *   number of files that were searched for texts
  */
final private[erasure] case class FoundFiles(
    referred: ReferredFiles,
    orphans: Vector[OrphanFile],
    notes: Vector[JobNote],
    hits: Vector[SearchedFile],
    searched: Int
)

/** Findings about rows to erase in a table, its branches and its clones. */
final private[erasure] case class Survey(
    own: TableHistory,
    others: Vector[TableHistory],
    looked: Looked,
    files: FoundFiles
) {
  def histories: Vector[TableHistory] = own +: others

  /** Names of data files with such rows, orphans included. */
  def holders: Set[String] = looked.holders
}

private[erasure] object Survey {

  /** Reads all versions, and searches all files.
    *
    * @param clones
    *   roots of tables that may be clones, besides those beside the table
    * @param before
    *   what the call has found before, and erased; it is sought, too
    */
  def of(
      location: TableLocation,
      condition: ErasureCondition,
      clones: Vector[String],
      before: Option[Looked] = None
  ): Survey = {
    val dataset = Dataset.open(location.store, location.root)
    val own = TableHistory.own(dataset)
    val others = TableHistory.branches(dataset) ++ TableClones.of(dataset, clones)
    val referred = ReferredFiles.of(own +: others)
    val places = own.root +: others.filter(_.kind == HistoryKind.Branch).map(_.root)
    val orphans = places.flatMap(OrphanFiles.in(dataset.store, _, referred.isKnown))
    val looked = new Look(location, condition, own, others).at(orphans, before)
    val files =
      SearchedFiles.in(dataset.store, TableHistory.main(dataset), referred, orphans.map(_.name).toSet)
    val hits = FileSearchJob.run(location, dataset, files, looked.sought(own.dataset))
    val names = hits.map(file => FragmentState.name(file.path)).toSet
    val holders = looked.holders ++ (orphans.map(_.name) ++ referred.others).filter(names)
    val notes = places.flatMap(JobNotes.in(dataset.store, _))
    val found = FoundFiles(referred, orphans, notes, hits, files.size)
    Survey(own, others, looked.copy(holders = holders), found)
  }
}

/** Findings of Spark in the rows.
  *
  * @param contents
  *   the rows themselves; their texts and keys are those that no other row has
  * @param holders
  *   names of data files with such rows
  * @param rows
  *   number of rows by the states of fragments of the table
  * @param isOfRows
  *   whether there are such rows, or were before this call erased them
  * @param shared
  *   paths of their blobs outside of the table to which rows that stay refer, too
  */
final private[erasure] case class Looked(
    contents: RowContents,
    holders: Set[String],
    rows: Map[FragmentState, Long],
    isOfRows: Boolean,
    shared: Set[String] = Set.empty
) {

  /** Paths of blobs outside of the table that only these rows need. */
  def external: Set[String] = contents.external -- shared

  /** Returns the texts to seek in files. Names, settings and other metadata of the table are no rows. */
  def sought(latest: Dataset): Sought = {
    val message = latest.manifest.message
    val config = message.config.filterNot(_._1.startsWith(StatisticsKeys.Prefix))
    val bare = message.copy(fragments = Nil, config = config, transactionFile = "")
    val texts = new SoughtTexts(contents.texts)
    Sought(texts, texts.without(bare.toByteArray), isOfRows)
  }
}

/** Looks into all rows of all versions, and of orphans. */
final private class Look(
    location: TableLocation,
    condition: ErasureCondition,
    own: TableHistory,
    others: Vector[TableHistory]
) {
  private val histories = own +: others

  /** All names that each column has had, by its id. */
  private lazy val names: Map[Int, Set[String]] =
    histories.flatMap(_.layers).flatMap(_.shown.schema.preOrder).groupMap(_.id)(_.name).map {
      case (id, all) => id -> all.toSet
    }

  /** Returns keys by all names of their columns. */
  private def named(layer: StateLayer, keys: Set[(String, String)]): Set[(String, String)] = {
    val ids = layer.shown.schema.preOrder.groupMap(_.name)(_.id)
    keys.flatMap { case (name, value) => ids.getOrElse(name, Vector.empty).flatMap(names).map(_ -> value) }
  }

  def at(orphans: Vector[OrphanFile], before: Option[Looked]): Looked = {
    val erased = before.fold(RowTexts.none)(_.contents)
    val wereRows = before.exists(_.isOfRows)
    val ofOrphans =
      orphans.groupBy(file => file.path.take(file.path.lastIndexOf("/data/"))).toVector.flatMap {
        case (root, files) =>
          histories.find(_.root == root).flatMap(history => OrphanFiles.layer(history.dataset, files))
      }
    val layers = histories.flatMap(_.layers) ++ ofOrphans
    val matched = layers.map { layer =>
      val found = StateRows.of(location, layer, condition)(RowTexts.matching)
      layer -> found.copy(keys = named(layer, found.keys))
    }
    val all = matched.map(_._2).foldLeft(erased.copy(counts = Map.empty))(_ ++ _)
    val states = matched.flatMap { case (layer, found) =>
      found.counts.map { case (id, n) => layer.states(id) -> n }
    }
    if (all.isEmpty) Looked(all, Set.empty, Map.empty, wereRows)
    else {
      val sought =
        SparkSession.active.sparkContext.broadcast((new SoughtTexts(all.texts), all.keys))
      val rest =
        layers.map(layer => layer -> StateRows.of(location, layer, condition)(RowTexts.others(_, sought)))
      val unknown = rest.flatMap { case (layer, found) =>
        found.unknown.map { case (id, texts) => layer.states(id) -> texts }
      }
      val texts = all.texts -- rest.flatMap(_._2.texts) -- (if (unknown.isEmpty) Set.empty else live(sought))
      val keys = rest.flatMap { case (layer, found) => named(layer, found.keys) }
      val suspects = unknown.collect { case (state, found) if found.exists(texts) => state }
      val ofOwn = own.layers.flatMap(_.states.values).toSet
      val rows = states.filter { case (state, _) => ofOwn(state) }.groupMapReduce(_._1)(_._2)(math.max)
      val holders = (states.map(_._1) ++ suspects).flatMap(_.names).toSet
      val contents = all.copy(texts = texts, keys = all.keys -- keys)
      Looked(contents, holders, rows, wereRows || holders.nonEmpty, shared(all.external))
    }
  }

  /** Returns those of some paths of blobs that the latest versions of the table, its branches and its clones
    * need for rows that stay.
    */
  private def shared(external: Set[String]): Set[String] =
    if (external.isEmpty) Set.empty
    else
      histories.flatMap { history =>
        val layer =
          StateLayer(history.dataset, Map.empty, isLatest = history eq own, isNumbered = history eq own)
        StateRows.of(location, layer, condition)(RowTexts.external)
      }.toSet.intersect(external)

  /** Returns the texts of rows of the latest version of which the condition says nothing. They stay. */
  private def live(sought: Broadcast[RowTexts.Wanted]): Set[String] = {
    val layer = StateLayer(own.dataset, Map.empty, isLatest = true, isNumbered = true)
    StateRows.of(location, layer, condition)(RowTexts.others(_, sought)).unknown.values.flatten.toSet
  }
}

/** Searches files for texts by a Spark job. */
private[erasure] object FileSearchJob {

  /** Returns the files with one of the texts. */
  def run(
      location: TableLocation,
      dataset: Dataset,
      files: Vector[SearchedFile],
      sought: Sought
  ): Vector[SearchedFile] =
    if (files.isEmpty || sought.isEmpty) Vector.empty
    else {
      val context = SparkSession.active.sparkContext
      val texts = context.broadcast(sought)
      val table = location.forTasks(dataset)
      val tasks = math.min(files.size, math.max(1, context.defaultParallelism * 4))
      val found = context
        .parallelize(files, tasks)
        .mapPartitions { some =>
          val store = table.store
          some.filter(_.has(store, texts.value)).map(_.path)
        }
        .collect()
        .toSet
      files.filter(file => found(file.path))
    }
}
