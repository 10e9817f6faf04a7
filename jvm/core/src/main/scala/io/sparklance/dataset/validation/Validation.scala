package io.sparklance.dataset.validation

import io.sparklance.dataset.Dataset

/** Holds a version of a table against all that can be known without decoding its values: the manifest, the files that it
  * names and what these say of themselves, deletions, row ids, indices.
  */
object Validation {

  /** None if nothing is wrong. */
  def problems(dataset: Dataset): Vector[Problem] =
    ManifestCheck(dataset) ++ dataset.fragments.flatMap(FragmentCheck(dataset, _)) ++ RowIdCheck(dataset) ++
      IndexCheck(dataset)
}
