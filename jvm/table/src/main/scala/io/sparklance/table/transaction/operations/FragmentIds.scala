package io.sparklance.table.transaction.operations

import io.sparklance.LanceUsageException
import io.sparklance.proto.{table => pb}
import io.sparklance.table.{Fragment, Manifest}

/** Assigns ids to new fragments: above every id that the table ever used, because indices refer to them. */
private[operations] object FragmentIds {

  /** Largest id: manifests store it in 32 bits. */
  private val Max = 0xffffffffL

  def assign(table: Manifest, fragments: Vector[Fragment]): Vector[pb.DataFragment] = {
    val _ = checked(table.maxFragmentId, fragments.size.toLong)
    fragments.zipWithIndex.map { case (fragment, i) => fragment.withId(table.maxFragmentId + 1 + i).message }
  }

  /** Returns the highest id after `count` more. */
  def checked(highest: Long, count: Long): Long = {
    if (highest < -1 || highest > Max - count)
      throw new LanceUsageException(
        s"The table has used up its fragment ids: $count more after $highest would exceed $Max. " +
          "Copy it to a new table, which starts at 0."
      )
    highest + count
  }
}
