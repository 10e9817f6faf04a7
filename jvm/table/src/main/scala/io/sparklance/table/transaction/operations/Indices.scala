package io.sparklance.table.transaction.operations

import com.google.protobuf.ByteString

import io.sparklance.ProtoBytes
import io.sparklance.proto.transaction.Transaction.{Rewrite => Wire}
import io.sparklance.proto.{table => pb}
import io.sparklance.table.index.{IndexKinds, RoaringSet}
import io.sparklance.table.transaction.TableState

/** Keeps the index section valid when the table changes. No index may refer to rows that moved. Fragments
  * that an index does not cover are scanned, so it is always safe to reduce coverage.
  */
private[operations] object Indices {

  /** Applies a change to the section; returns the same bytes if nothing changes. */
  def changed(
      section: Option[ByteString]
  )(change: Seq[pb.IndexMetadata] => Seq[pb.IndexMetadata]): Option[ByteString] = {
    val old = section.fold(pb.IndexSection())(s =>
      ProtoBytes.parse(pb.IndexSection, s.toByteArray, "the index section")
    )
    val next = change(old.indices)
    if (next == old.indices) section
    else Option.when(next.nonEmpty)(old.copy(indices = next).toByteString)
  }

  /** Removes fragments from the coverage of indices whose fields changed in place. */
  def withoutFragments(
      section: Option[ByteString],
      fields: Set[Int],
      fragments: Set[Long]
  ): Option[ByteString] =
    if (fields.isEmpty || fragments.isEmpty) section
    else
      changed(section)(_.map(index => if (index.fields.exists(fields)) without(index, fragments) else index))

  /** Drops indices on fields that the schema no longer has. */
  def onFields(state: TableState): TableState = {
    val fields = state.manifest.message.fields.map(_.id).toSet
    state.copy(indexSection =
      changed(state.indexSection)(_.filter(index => isSystem(index) || index.fields.forall(fields)))
    )
  }

  /** Drops indices on fields that the schema no longer has, and segments without remaining fragments. The
    * last segment of a name stays, so that the index itself is not lost.
    */
  def relevant(state: TableState): TableState = {
    val fragments = state.manifest.message.fragments.map(_.id).toSet
    val next = onFields(state)
    next.copy(indexSection = changed(next.indexSection) { all =>
      val kept = all.groupBy(_.name).values.flatMap(segmentsToKeep(_, fragments)).map(_.uuid).toSet
      all.filter(index => isSystem(index) || kept(index.uuid))
    })
  }

  /** Updates indices after a rewrite. Remapped segments replace the old ones. Of the others, indices that
    * refer to stable row ids cover the new fragments; the rest lose the old ones.
    *
    * @param groups
    *   removed fragments, and the fragments that now hold their rows
    */
  def remapped(
      latest: TableState,
      rewrite: Wire,
      groups: Seq[(Set[Long], Set[Long])]
  ): Option[ByteString] = {
    val old = groups.flatMap(_._1).toSet
    val byOldId = rewrite.rewrittenIndices.flatMap(r => r.oldId.map(_ -> r)).toMap
    changed(latest.indexSection)(_.map { index =>
      index.uuid.flatMap(byOldId.get) match {
        case Some(now) => replaced(index, now, groups)
        case None if isSystem(index) => index
        case None if latest.manifest.hasStableRowIds && IndexKinds.findsRowIds(index) => moved(index, groups)
        case None => without(index, old)
      }
    })
  }

  private def replaced(
      index: pb.IndexMetadata,
      now: Wire.RewrittenIndex,
      groups: Seq[(Set[Long], Set[Long])]
  ): pb.IndexMetadata = moved(index, groups).copy(
    uuid = now.newId,
    indexDetails = now.newIndexDetails.orElse(index.indexDetails),
    indexVersion = Some(now.newIndexVersion),
    files = now.newIndexFiles
  )

  /** Moves coverage to new fragments, if the segment covered all fragments of the group. */
  private def moved(index: pb.IndexMetadata, groups: Seq[(Set[Long], Set[Long])]): pb.IndexMetadata =
    if (index.fragmentBitmap.isEmpty) index
    else {
      val covered = RoaringSet.parse(index.fragmentBitmap)
      val bitmap = groups.foldLeft(covered) { case (now, (before, after)) =>
        if (before.forall(covered.contains)) now.without(before).`with`(after) else now.without(before)
      }
      index.copy(fragmentBitmap = bitmap.encode)
    }

  private def without(index: pb.IndexMetadata, fragments: Set[Long]): pb.IndexMetadata =
    if (index.fragmentBitmap.isEmpty) index
    else {
      val bitmap = RoaringSet.parse(index.fragmentBitmap)
      if (bitmap.intersects(fragments)) index.copy(fragmentBitmap = bitmap.without(fragments).encode)
      else index
    }

  private def segmentsToKeep(segments: Seq[pb.IndexMetadata], fragments: Set[Long]): Seq[pb.IndexMetadata] = {
    val (serving, idle) = segments.partition(index =>
      index.fragmentBitmap.isEmpty || RoaringSet.parse(index.fragmentBitmap).intersects(fragments)
    )
    if (serving.nonEmpty) serving
    else idle.sortBy(s => (s.createdAt.isEmpty, s.createdAt.getOrElse(0L), s.datasetVersion)).take(1)
  }

  private def isSystem(index: pb.IndexMetadata): Boolean = IndexKinds.isSystem(index.name)
}
