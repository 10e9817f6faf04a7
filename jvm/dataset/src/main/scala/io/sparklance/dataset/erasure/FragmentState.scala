package io.sparklance.dataset.erasure

import scala.collection.mutable

import io.sparklance.dataset.Dataset
import io.sparklance.table.{DataFile, Fragment, Manifest, TablePaths}

/** The data files of a fragment in some versions. Deletions do not count: a deleted row is still in the
  * files.
  *
  * @param fragment
  *   without its deletion file
  * @param files
  *   paths of its data files
  */
final private[sparklance] class FragmentState(val fragment: Fragment, val files: Vector[String]) {

  /** Names of the data files, which are unique among all tables. */
  val names: Set[String] = files.map(FragmentState.name).toSet
}

private[sparklance] object FragmentState {
  def name(path: String): String = path.substring(path.lastIndexOf('/') + 1)
}

/** The columns of some versions, and the places of their files.
  *
  * @param manifest
  *   one of these versions, without fragments. No column is required, so that states can be read that lack
  *   one
  */
final private[sparklance] class StateLayout(val manifest: Manifest) {
  private[erasure] val states = mutable.LinkedHashSet.empty[FragmentState]
}

private[erasure] object StateLayout {
  def of(manifest: Manifest): StateLayout = {
    val message = manifest.message
    new StateLayout(
      Manifest(message.copy(fragments = Nil, fields = message.fields.map(_.copy(nullable = true))))
    )
  }
}

/** Collects the distinct states of the fragments of versions. */
final private class StateCollector(root: String) {
  private val states = mutable.HashMap.empty[Fragment, FragmentState]
  private val layouts = mutable.LinkedHashMap.empty[Any, StateLayout]
  private val shown = mutable.HashSet.empty[String]

  /** Names of data files all of whose columns a version shows. */
  def whole: Set[String] = shown.toSet

  /** Returns the states of a version's fragments. */
  def add(manifest: Manifest): Vector[FragmentState] = {
    val layout = this.layout(manifest)
    val paths = new TablePaths(root, manifest)
    val ids = manifest.message.fields.map(_.id).toSet
    def isShown(id: Int) = ids(id) || id < DataFile.Invalidated
    manifest.fragments.map { fragment =>
      val bare = Fragment(fragment.message.copy(deletionFile = None))
      val state = states.getOrElseUpdate(bare, new FragmentState(bare, bare.files.map(paths.dataFile)))
      layout.states += state
      shown ++= bare.files.filter(_.fieldIds.forall(isShown)).map(file => FragmentState.name(file.path))
      state
    }
  }

  /** Returns all states, each with the columns of the versions that have it and with those of the latest.
    *
    * @param dataset
    *   the latest version
    * @param isNumbered
    *   as in [[StateLayer]]
    */
  def layers(dataset: Dataset, isNumbered: Boolean): Vector[StateLayer] = {
    val latest = layout(dataset.manifest)
    latest.states ++= states.values
    layouts.values.toVector.filter(_.states.nonEmpty).zipWithIndex.flatMap { case (layout, i) =>
      StateCollector.apart(layout.states.toVector).zipWithIndex.map { case (layer, j) =>
        val version = dataset.at(layout.manifest)
        StateLayer.of(version, layout, layer, s"states $i.$j", layout eq latest, isNumbered)
      }
    }
  }

  private def layout(manifest: Manifest): StateLayout = {
    val message = manifest.message
    val columns = message.fields.map(field => (field.id, field.parentId, field.name, field.logicalType))
    layouts.getOrElseUpdate((columns, message.basePaths), StateLayout.of(manifest))
  }
}

private object StateCollector {

  /** Divides states into groups in which each fragment id occurs once. */
  def apart(states: Vector[FragmentState]): Vector[Vector[FragmentState]] = {
    val ranks = mutable.HashMap.empty[Long, Int]
    val ranked = states.map { state =>
      val rank = ranks.getOrElse(state.fragment.id, 0)
      ranks.update(state.fragment.id, rank + 1)
      rank -> state
    }
    ranked.groupMap(_._1)(_._2).toVector.sortBy(_._1).map(_._2)
  }
}
