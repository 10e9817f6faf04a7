package io.sparklance.dataset.scan

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.snapshot.{DeletionSource, HiddenColumn, NumberSource}
import io.sparklance.schema.Field

/** Rows of a fragment to be read: everything that an executor has to know, so that it never reads a manifest.
  *
  * @param physicalRows
  *   rows of the fragment, deleted ones included
  * @param rows
  *   which of those to read, by their offsets
  * @param projection
  *   top-level fields, or those of metadata columns, in the order in which the columns come out, each with
  *   the fields inside it that are wanted, in the order in which they are
  * @param witnesses
  *   top-level fields down to single leaves, which are read for the structs and lists around them only
  * @param hidden
  *   the metadata columns which are wanted of those that the files have
  * @param numbers
  *   the columns which are wanted of those that the manifest has
  * @param numbered
  *   the rows of which these have numbers, if not all
  * @param bases
  *   the places that blobs of the projection may refer to by number
  * @param predicate
  *   what the rows must fulfil; its leaves need not be projected
  */
final private[sparklance] case class FragmentTask(
    fragmentId: Long,
    files: Vector[FileSource],
    physicalRows: Long,
    deletion: Option[DeletionSource],
    rows: RowRanges,
    projection: Vector[Field],
    witnesses: Vector[Field] = Vector.empty,
    hidden: Vector[HiddenColumn] = Vector.empty,
    numbers: Vector[NumberSource] = Vector.empty,
    numbered: Option[RowRange] = None,
    bases: Map[Int, String] = Map.empty,
    predicate: Predicate = Predicate.Always
)
