package io.sparklance.table.index

import io.sparklance.proto.{table => pb}

/** What of an index matters to whoever moves rows. */
object IndexKinds {

  /** The map of moved rows: no index of a user's, and neither is the next. */
  val FragmentReuse = "__lance_frag_reuse"
  val MemWal = "__lance_mem_wal"

  def isSystem(name: String): Boolean = name == FragmentReuse || name == MemWal

  /** Whether an index of a table with stable row ids finds these ids, which rows keep when they move. Others find addresses;
    * so may those that we do not know.
    */
  def findsRowIds(index: pb.IndexMetadata): Boolean = index.indexDetails.map(_.typeUrl).exists { name =>
    name.endsWith("BTreeIndexDetails") && index.indexVersion.forall(_ < BTreeOfAddresses) ||
    Of.exists(name.endsWith)
  }

  /** From this version on, a tree has addresses. */
  final private val BTreeOfAddresses = 1

  private val Of = Vector(
    "BitmapIndexDetails",
    "LabelListIndexDetails",
    "NGramIndexDetails",
    "InvertedIndexDetails",
    "VectorIndexDetails"
  )
}
