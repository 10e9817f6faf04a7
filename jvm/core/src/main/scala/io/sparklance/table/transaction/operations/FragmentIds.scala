package io.sparklance.table.transaction.operations

import io.sparklance.LanceUsageException
import io.sparklance.proto.{table => pb}
import io.sparklance.table.{Fragment, Manifest}

/** Gives new fragments their ids: above every id that the table ever used, since indices go by them. */
private[operations] object FragmentIds {

  /** Manifests keep the highest id in 32 bits. */
  private val Max = 0xffffffffL

  def assign(table: Manifest, fragments: Vector[Fragment]): Vector[pb.DataFragment] = {
    val first = table.maxFragmentId + 1
    if (first < 0 || first + fragments.size - 1 > Max)
      throw new LanceUsageException(
        s"The table has used up its fragment ids: ${fragments.size} more from $first would exceed $Max. " +
          "Copy it to a new table, which starts at 0."
      )
    fragments.zipWithIndex.map { case (fragment, i) => fragment.withId(first + i).message }
  }
}
