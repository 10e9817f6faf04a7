package io.sparklance.dataset.compaction

import scala.collection.immutable.ArraySeq

import io.sparklance.data.FileVersion
import io.sparklance.dataset.Dataset
import io.sparklance.schema.LanceSchema
import io.sparklance.table.Fragment

/** The fragments of a version to rewrite. Groups are disjoint and independent of each other.
  *
  * @param schema
  *   schema of the new files
  */
final private[sparklance] case class CompactionPlan(
    dataset: Dataset,
    schema: LanceSchema,
    version: FileVersion,
    groups: Vector[FragmentGroup]
)

/** Adjacent fragments that become one or, if they are large, a few. */
final private[sparklance] case class FragmentGroup(fragments: Vector[FragmentFacts]) {
  def liveRows: Long = fragments.map(_.liveRows).sum

  /** @param files the new files with its rows */
  def into(files: Vector[RewrittenFile]): RewrittenGroup = RewrittenGroup(fragments.map(_.fragment), files)
}

/** Facts about a fragment for planning.
  *
  * @param bytes
  *   size of its files, if the manifest records it
  * @param indices
  *   segments that cover it
  * @param hasManyFiles
  *   whether it has more data files than the options allow
  * @param needsRewrite
  *   whether it has, and their pages cannot be copied to fewer files
  */
final private[sparklance] case class FragmentFacts(
    fragment: Fragment,
    physicalRows: Long,
    deletedRows: Long,
    bytes: Option[Long],
    indices: Set[String],
    hasManyFiles: Boolean = false,
    needsRewrite: Boolean = false
) {
  def liveRows: Long = physicalRows - deletedRows
}

/** Row lineage of a new fragment, in the form of the manifest. */
final private[sparklance] case class MovedLineage(
    rowIds: ArraySeq[Byte],
    createdAt: ArraySeq[Byte],
    lastUpdatedAt: ArraySeq[Byte]
)
