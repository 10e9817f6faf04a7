package io.sparklance.dataset.validation

import io.sparklance.dataset.Dataset

/** Validates a version without decoding values: the manifest, its files and their metadata, deletions, row
  * ids, indices.
  */
private[sparklance] object Validation {

  /** Returns all problems; empty if there are none. */
  def problems(dataset: Dataset): Vector[Problem] =
    ManifestCheck(dataset) ++ dataset.fragments.flatMap(FragmentCheck(dataset, _)) ++ RowIdCheck(dataset) ++
      IndexCheck(dataset)
}
