package io.sparklance.table.index

import io.sparklance.proto.{table => pb}

/** Properties of index kinds that matter when rows move. */
private[sparklance] object IndexKinds {

  /** Name of the map of moved rows, which is internal, like the next one. */
  val FragmentReuse = "__lance_frag_reuse"
  val MemWal = "__lance_mem_wal"

  def isSystem(name: String): Boolean = name == FragmentReuse || name == MemWal

  /** Whether an index of a table with stable row ids refers to these ids, which rows keep when they move.
    * Others, and unknown kinds, refer to addresses.
    */
  def findsRowIds(index: pb.IndexMetadata): Boolean = index.indexDetails.map(_.typeUrl).exists { name =>
    name.endsWith("BTreeIndexDetails") && index.indexVersion.forall(_ < BTreeOfAddresses) ||
    Of.exists(name.endsWith)
  }

  /** First version of B-trees that refer to addresses. */
  final private val BTreeOfAddresses = 1

  private val Of = Vector(
    "BitmapIndexDetails",
    "LabelListIndexDetails",
    "NGramIndexDetails",
    "InvertedIndexDetails",
    "VectorIndexDetails"
  )
}
