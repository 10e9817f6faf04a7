package io.sparklance.dataset.erasure

import io.sparklance.dataset.Dataset

/** States that are shown to readers together. Each has another fragment id, so that row addresses are those
  * of the table.
  *
  * @param shown
  *   a version with the rows of the states, deleted rows included
  * @param isLatest
  *   whether the columns are those of the latest version
  * @param isNumbered
  *   whether ids and addresses of rows are those of the table
  */
final private[sparklance] case class StateLayer(
    shown: Dataset,
    states: Map[Long, FragmentState],
    isLatest: Boolean,
    isNumbered: Boolean
)

private[sparklance] object StateLayer {

  /** Shows states, deleted rows included.
    *
    * @param version
    *   a version of the table with the columns of the layout
    * @param name
    *   of the layer, in paths that caches use
    */
  def of(
      version: Dataset,
      layout: StateLayout,
      states: Vector[FragmentState],
      name: String,
      isLatest: Boolean,
      isNumbered: Boolean
  ): StateLayer = {
    val shown = version.showing(layout.manifest, states.map(_.fragment), name)
    StateLayer(shown, states.map(state => state.fragment.id -> state).toMap, isLatest, isNumbered)
  }
}
