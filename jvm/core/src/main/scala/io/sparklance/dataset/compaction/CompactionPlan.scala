package io.sparklance.dataset.compaction

import scala.collection.immutable.ArraySeq

import io.sparklance.data.FileVersion
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.schema.LanceSchema
import io.sparklance.table.Fragment

/** Which fragments of a version are to be written anew. Groups have no fragment in common, and any of them can be done
  * without the others.
  *
  * @param schema of the new files
  */
final case class CompactionPlan(
    dataset: Dataset,
    schema: LanceSchema,
    version: FileVersion,
    groups: Vector[FragmentGroup]
)

/** Neighbours that become one fragment or, if they are large, a few. */
final case class FragmentGroup(fragments: Vector[FragmentFacts]) {
  def liveRows: Long = fragments.map(_.liveRows).sum

  /** @param files that have its rows now */
  def into(files: Vector[RewrittenFile]): RewrittenGroup = RewrittenGroup(fragments.map(_.fragment), files)
}

/** What planning has to know of a fragment.
  *
  * @param bytes of its files, if the manifest tells
  * @param indices the segments that speak of it
  */
final case class FragmentFacts(
    fragment: Fragment,
    physicalRows: Long,
    deletedRows: Long,
    bytes: Option[Long],
    indices: Set[String]
) {
  def liveRows: Long = physicalRows - deletedRows
}

/** What became of a group.
  *
  * @param old its fragments, as they were read
  */
final case class RewrittenGroup(old: Vector[Fragment], files: Vector[RewrittenFile])

/** @param lineage of a table with stable row ids */
final case class RewrittenFile(file: WrittenFile, lineage: Option[MovedLineage])

/** What there is to be said of the rows of a new fragment, as the manifest will have it. */
final case class MovedLineage(
    rowIds: ArraySeq[Byte],
    createdAt: ArraySeq[Byte],
    lastUpdatedAt: ArraySeq[Byte]
)
