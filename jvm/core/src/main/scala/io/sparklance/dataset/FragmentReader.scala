package io.sparklance.dataset

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.data.Column
import io.sparklance.io.ObjectStore

/** Reads the live rows of a [[FragmentTask]] in batches.
  *
  * @param batchRows physical rows looked at for one batch, at most
  */
final class FragmentReader(store: ObjectStore, task: FragmentTask, batchRows: Int) extends AutoCloseable {

  /** Moves to the next batch; false at the end. A batch has at least one row. */
  def next(): Boolean =
    throw new UnsupportedLanceFeatureException(s"reading $batchRows rows of ${task.fragmentId} from $store")

  /** One for each field of the projection; valid until the next call of [[next]]. */
  def columns: Vector[Column] = Vector.empty

  def rowCount: Int = 0

  override def close(): Unit = ()
}
