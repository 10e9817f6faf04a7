package io.sparklance.spark.options

import io.sparklance.index.vector.Probes

/** Parameters of a search by an index.
  *
  * @param refine
  *   multiple of `k` rows to find, whose exact distances decide; estimates decide if None
  * @param isFast
  *   whether to leave out rows that the index does not cover
  */
final private[spark] case class IndexSearchSettings(
    probes: Probes = Probes(),
    refine: Option[Int] = None,
    isFast: Boolean = false
)
