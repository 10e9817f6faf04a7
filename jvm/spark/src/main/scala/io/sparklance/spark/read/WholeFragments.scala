package io.sparklance.spark.read

import io.sparklance.dataset.Dataset

/** Scans whose splits must not cut a fragment, since what is made of its rows becomes one file. Spark plans
  * them deep within a statement that somebody else has built, so that it is said by the thread on which it
  * does.
  */
private[spark] object WholeFragments {
  private val version = new ThreadLocal[Option[(String, Long)]] {
    override def initialValue: Option[(String, Long)] = None
  }

  /** While `body` runs, scans that are planned of this version of a table are such. */
  private[spark] def during[A](dataset: Dataset)(body: => A): A = {
    val before = version.get
    version.set(Some(dataset.root -> dataset.version))
    try body
    finally version.set(before)
  }

  def areWanted(dataset: Dataset): Boolean = version.get.contains(dataset.root -> dataset.version)
}
