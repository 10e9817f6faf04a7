package io.sparklance.table.transaction.operations

import io.sparklance.proto.table.DataFragment.{
  CreatedAtVersionSequence,
  LastUpdatedAtVersionSequence,
  RowIdSequence => Ids
}
import io.sparklance.proto.{table => pb}
import io.sparklance.table.rowid._
import io.sparklance.table.{Fragment, Manifest}
import io.sparklance.{LanceFormatException, LanceUsageException}

/** Assigns stable ids to rows of new fragments, and records the versions that created and updated them; for
  * tables with stable row ids.
  *
  * @param manifest
  *   the previous manifest, with the ids used so far
  */
final private[operations] case class RowLineage(manifest: Manifest, fragments: Vector[pb.DataFragment])

private[operations] object RowLineage {

  /** Lineage of new rows. */
  def fresh(manifest: Manifest, fragments: Vector[pb.DataFragment]): RowLineage = {
    fragments.find(f => !f.rowIdSequence.isEmpty).foreach { f =>
      throw new LanceUsageException(
        s"The new fragment of ${f.files.map(_.path).mkString(", ")} has row ids, but these are assigned " +
          "at the commit."
      )
    }
    withIds(manifest, fragments).mapped((f, _) => made(f, manifest.version + 1))
  }

  /** Lineage of moved rows, with their ids; new rows may follow them in the same fragment. */
  def moved(manifest: Manifest, fragments: Vector[pb.DataFragment]): RowLineage =
    if (!manifest.hasStableRowIds) withIds(manifest, fragments)
    else {
      val ids = fragments.map(idsOf)
      val places = RowPlaces.of(manifest, ids.flatten.toArray)
      withIds(manifest, fragments).mapped { (f, i) =>
        val created = new Creation(places, manifest.version + 1)
        val versions = Array.tabulate(f.physicalRows.toInt)(row =>
          if (row < ids(i).length) created.versionOf(ids(i)(row)) else manifest.version + 1
        )
        f.withInlineCreatedAtVersions(RowVersionEncoder.encode(versions))
          .withInlineLastUpdatedAtVersions(RowVersionEncoder.uniform(f.physicalRows, manifest.version + 1))
      }
    }

  /** Marks all rows of a fragment as updated by the next version. */
  def updated(manifest: Manifest, fragment: pb.DataFragment): pb.DataFragment =
    fragment.withInlineLastUpdatedAtVersions(
      RowVersionEncoder.uniform(fragment.physicalRows, manifest.version + 1)
    )

  /** Marks some rows of a fragment as updated by the next version. Records nothing if the other rows have no
    * record.
    */
  def updated(manifest: Manifest, fragment: pb.DataFragment, changed: Long => Boolean): pb.DataFragment =
    Fragment(fragment).lastUpdatedAtVersions.fold(fragment) { bytes =>
      val before = RowVersions.parse(bytes.toArray, fragment.physicalRows)
      val versions = Array.tabulate(fragment.physicalRows.toInt) { row =>
        if (changed(row.toLong)) manifest.version + 1 else before(row.toLong)
      }
      fragment.withInlineLastUpdatedAtVersions(RowVersionEncoder.encode(versions))
    }

  private def made(fragment: pb.DataFragment, version: Long): pb.DataFragment = {
    val versions = RowVersionEncoder.uniform(fragment.physicalRows, version)
    fragment.copy(
      createdAtVersionSequence = CreatedAtVersionSequence.InlineCreatedAtVersions(versions),
      lastUpdatedAtVersionSequence = LastUpdatedAtVersionSequence.InlineLastUpdatedAtVersions(versions)
    )
  }

  /** Assigns ids to all rows without one. */
  private def withIds(manifest: Manifest, fragments: Vector[pb.DataFragment]): RowLineage =
    if (!manifest.hasStableRowIds) RowLineage(manifest, fragments)
    else {
      var next = manifest.message.nextRowId
      val done = fragments.map { fragment =>
        val known = idsOf(fragment)
        val missing = fragment.physicalRows - known.length
        if (missing < 0)
          throw new LanceFormatException(
            s"${known.length} row ids of a new fragment of ${fragment.physicalRows} rows"
          )
        val first = next
        next = Math.addExact(next, missing)
        if (missing == 0) fragment
        else {
          val bytes =
            if (known.isEmpty) RowIdEncoder.range(first, missing)
            else RowIdEncoder.encode(known ++ Array.tabulate(missing.toInt)(first + _))
          fragment.copy(rowIdSequence = Ids.InlineRowIds(bytes))
        }
      }
      RowLineage(Manifest(manifest.message.copy(nextRowId = next)), done)
    }

  private def idsOf(fragment: pb.DataFragment): Array[Long] =
    Fragment(fragment).rowIds.fold(Array.emptyLongArray) { bytes =>
      val sequence = RowIdSequence.parse(bytes.toArray)
      if (sequence.length > fragment.physicalRows)
        throw new LanceFormatException(
          s"${sequence.length} row ids of a new fragment of ${fragment.physicalRows} rows"
        )
      Array.tabulate(sequence.length.toInt)(i => sequence(i.toLong))
    }

  /** Finds the versions in which rows were created. */
  final private class Creation(places: RowPlaces, now: Long) {
    private val sequences = scala.collection.mutable.Map.empty[Long, Option[RowVersions]]

    def versionOf(id: Long): Long = places.find(id).fold(now) { place =>
      val versions = sequences.getOrElseUpdate(
        place.fragment.id,
        place.fragment.createdAtVersions.map(bytes =>
          RowVersions.parse(bytes.toArray, place.fragment.message.physicalRows)
        )
      )
      versions.fold(RowVersions.Unknown)(_(place.offset))
    }
  }

  implicit private class Mapping(lineage: RowLineage) {
    def mapped(change: (pb.DataFragment, Int) => pb.DataFragment): RowLineage =
      if (!lineage.manifest.hasStableRowIds) lineage
      else
        lineage.copy(fragments = lineage.fragments.zipWithIndex.map { case (f, i) => change(f, i) })
  }
}
