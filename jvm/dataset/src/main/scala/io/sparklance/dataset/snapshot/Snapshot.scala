package io.sparklance.dataset.snapshot

import java.time.Instant
import java.util.UUID

import scala.collection.concurrent.TrieMap
import scala.collection.immutable.ArraySeq
import scala.util.{Try, Using}

import io.sparklance.data.{FileVersion, RowRange, RowRanges}
import io.sparklance.file.FileReader
import io.sparklance.io.{Concurrently, ObjectStore}
import io.sparklance.schema.LanceSchema
import io.sparklance.table.deletion.{DeletionFiles, DeletionVector}
import io.sparklance.table.rowid.{RowIdEncoder, RowIdIndices, RowIdSequence, RowVersionEncoder, RowVersions}
import io.sparklance.table.{DataFile, Fragment, Manifest, TablePaths}
import io.sparklance.{LanceFormatException, Location}

/** An immutable version of a table: its manifest, and what reading it takes: paths, row counts, deletion
  * files and row numbers.
  *
  * @param location
  *   of the manifest, for format errors
  * @param hidden
  *   reads row numbers that are in data files instead of the manifest
  */
private[sparklance] class Snapshot private[dataset] (
    val store: ObjectStore,
    val root: String,
    val manifest: Manifest,
    location: Location,
    hidden: HiddenNumbers
) {
  private lazy val paths = new TablePaths(root, manifest)

  /** Row numbers read from hidden columns, cached. */
  private val hiddenNumbers = TrieMap.empty[(Long, MetadataColumn), NumberSource]

  /** Row counts of data files whose manifest lacks them, cached by path. */
  private val countedRows = TrieMap.empty[String, Long]

  def version: Long = manifest.version
  def timestamp: Instant = locating(manifest.timestamp)
  def schema: LanceSchema = locating(manifest.schema)
  def fragments: Vector[Fragment] = manifest.fragments
  def config: Map[String, String] = manifest.config
  def tableMetadata: Map[String, String] = manifest.tableMetadata

  /** The format version of new data files of this table. */
  def fileVersion: FileVersion = locating(manifest.fileVersion)

  /** The number of live rows. Reads deletion files whose row counts the manifest lacks, as in old tables. */
  def countRows: Long =
    locating(fragments.map(f => physicalRows(f) - deletedRows(f)).sum)

  /** The number of live rows, if it can be computed without reading deletion files. */
  def knownRowCount: Option[Long] = {
    val isUnknown = fragments.exists(_.deletionFile.exists(_.deletedRows.isEmpty))
    Option.when(!isUnknown)(countRows)
  }

  /** The number of rows stored at selected addresses, deleted ones included. */
  def storedRows(selection: RowRanges): Long =
    locating(fragments.iterator.map(rowsOf(_, selection).count).sum)

  /** The number of live rows at selected addresses. Reads deletion files. */
  def liveRows(selection: RowRanges): Long = locating {
    select(selection).iterator.map { case (fragment, rows) =>
      rows.count - deletionVector(fragment).fold(0L)(v => rows.ranges.iterator.map(v.deletedIn).sum)
    }.sum
  }

  /** The number of rows stored in each fragment, deleted ones included, with the fragment's id. */
  def fragmentRows: Vector[(Long, Long)] = locating(fragments.map(f => f.id -> physicalRows(f)))

  /** The number of live rows of each fragment, with the fragment's id. */
  def liveRows: Vector[(Long, Long)] =
    locating(fragments.map(f => f.id -> (physicalRows(f) - deletedRows(f))))

  /** Whether rows keep their ids when they move. */
  def hasStableRowIds: Boolean = manifest.hasStableRowIds

  /** Returns the addresses of the rows whose metadata column holds one of `numbers`. May include deleted or
    * moved rows.
    */
  def addressesOf(column: MetadataColumn, numbers: RowRanges): RowRanges = column match {
    case MetadataColumn.RowAddr => numbers
    case MetadataColumn.RowId if !hasStableRowIds => numbers
    case MetadataColumn.FragId => RowRanges.of(numbers.ranges.map(RowAddress.ofFragments))
    case MetadataColumn.RowId =>
      RowRanges.of(offsetsOf(numbers).flatMap { case (fragment, offsets) =>
        offsets.relativeTo(-RowAddress.first(fragment.id)).ranges
      })
    case MetadataColumn.RowCreatedAtVersion | MetadataColumn.RowLastUpdatedAtVersion =>
      locating {
        RowRanges.of(fragments.flatMap { fragment =>
          val rows = physicalRows(fragment)
          val all = if (numbers.contains(RowVersions.Unknown)) RowRanges(0, rows) else RowRanges.empty
          val found = this.numbers(fragment, column).fold(all)(_.parse(rows).offsetsOf(numbers))
          found.relativeTo(-RowAddress.first(fragment.id)).ranges
        })
      }
  }

  /** Returns the offsets of rows with stable ids, for each fragment that has some. May include deleted or
    * moved rows.
    */
  private[sparklance] def offsetsOf(ids: RowRanges): Vector[(Fragment, RowRanges)] = locating {
    fragments.find(_.message.rowIdSequence.isEmpty).foreach(rowIds)
    RowIdIndices.of(manifest)(rowIdSequences).owners(ids).toVector.map(fragments).flatMap { fragment =>
      val found = rowIdSequence(fragment).offsetsOf(ids)
      Option.unless(found.isEmpty)(fragment -> found)
    }
  }

  private def rowIdSequences: Iterator[RowIdSequence] = {
    val hidden = fragments.filter(_.hidesRowIds)
    val _ = Concurrently.map(hidden, store.profile.firstRequests)(numbers(_, MetadataColumn.RowId))
    fragments.iterator.map(rowIdSequence)
  }

  private def rowIdSequence(fragment: Fragment): RowIdSequence = {
    val ids = if (fragment.hidesRowIds)
      numbers(fragment, MetadataColumn.RowId).fold(rowIds(fragment))(_.message)
    else rowIds(fragment)
    RowIdSource(ids).parse(physicalRows(fragment))
  }

  /** The lowest field id above those of the schema and of all data files, dropped columns included. */
  def nextFieldId: Int = locating {
    val used = fragments.flatMap(_.files).flatMap(_.fieldIds) ++ schema.preOrder.map(_.id)
    used.maxOption.fold(0)(_ + 1)
  }

  /** A metadata column of a fragment's rows; none if neither the manifest nor a data file has it. */
  private[sparklance] def numbers(fragment: Fragment, column: MetadataColumn): Option[NumberSource] = {
    def once(source: => NumberSource) =
      Some(hiddenNumbers.getOrElseUpdate(fragment.id -> column, source))
    column match {
      case MetadataColumn.RowId if fragment.hidesRowIds => once(RowIdSource(hiddenRowIds(fragment)))
      case MetadataColumn.RowCreatedAtVersion if fragment.hidesCreatedAtVersions =>
        once(RowVersionSource(column, hiddenVersions(fragment, HiddenColumn.CreatedAtVersions)))
      case MetadataColumn.RowLastUpdatedAtVersion if fragment.hidesLastUpdatedAtVersions =>
        once(RowVersionSource(column, hiddenVersions(fragment, HiddenColumn.LastUpdatedAtVersions)))
      case MetadataColumn.RowAddr | MetadataColumn.FragId => None
      case MetadataColumn.RowId => Option.when(hasStableRowIds)(RowIdSource(rowIds(fragment)))
      case MetadataColumn.RowCreatedAtVersion => fragment.createdAtVersions.map(RowVersionSource(column, _))
      case MetadataColumn.RowLastUpdatedAtVersion =>
        fragment.lastUpdatedAtVersions.map(RowVersionSource(column, _))
    }
  }

  private def rowIds(fragment: Fragment): ArraySeq[Byte] = fragment.rowIds.getOrElse(
    throw new LanceFormatException(
      s"fragment ${fragment.id} has no row ids, though those of the table are stable"
    )
  )

  /** Hidden row ids, encoded as the manifest would hold them. */
  private def hiddenRowIds(fragment: Fragment): ArraySeq[Byte] =
    ArraySeq.unsafeWrapArray(
      RowIdEncoder.encode(hidden.read(this, fragment, HiddenColumn.RowIds)).toByteArray
    )

  /** Hidden row versions, encoded as the manifest would hold them. */
  private def hiddenVersions(fragment: Fragment, column: HiddenColumn): ArraySeq[Byte] =
    ArraySeq.unsafeWrapArray(RowVersionEncoder.encode(hidden.read(this, fragment, column)).toByteArray)

  /** Adds the manifest's location to format errors thrown by `body`. */
  private[sparklance] def locating[A](body: => A): A = LanceFormatException.locating(location)(body)

  private[sparklance] def dataFile(file: DataFile): String = paths.dataFile(file)

  /** Directory of the files of an index segment.
    *
    * @param base
    *   number of the base that holds it, if not the table
    */
  private[sparklance] def indexDirectory(uuid: UUID, base: Option[Int]): String =
    locating(paths.indexDirectory(uuid, base))

  /** The number of rows of a fragment, deleted ones included. Opens a data file if the manifest lacks the
    * number.
    */
  private[sparklance] def physicalRows(fragment: Fragment): Long = fragment.physicalRows match {
    case Some(rows) if rows > 0 && rows <= Snapshot.MaxFragmentRows => rows
    case Some(rows) => throw new LanceFormatException(s"fragment ${fragment.id} claims $rows rows")
    case None =>
      val file = fragment.files.headOption.getOrElse(
        throw new LanceFormatException(s"fragment ${fragment.id} has no files and no number of rows")
      )
      countedRows.getOrElseUpdate(dataFile(file), rowsIn(fragment, file))
  }

  private def rowsIn(fragment: Fragment, file: DataFile): Long = {
    val rows = Using.resource(FileReader.open(store, dataFile(file), file.size))(_.numRows)
    if (rows < 0 || rows > Snapshot.MaxFragmentRows)
      throw new LanceFormatException(
        s"the file ${dataFile(file)} claims $rows rows of fragment ${fragment.id}"
      )
    rows
  }

  /** The addresses of all rows of a fragment. */
  private[dataset] def addresses(fragment: Fragment): RowRange =
    RowAddress.ofFragment(fragment.id, physicalRows(fragment))

  /** The offsets in a fragment of the rows at selected addresses. */
  private[dataset] def rowsOf(fragment: Fragment, selection: RowRanges): RowRanges = {
    val all = addresses(fragment)
    selection.intersect(all).relativeTo(all.start)
  }

  /** The fragments that have selected rows, each with the offsets of these. */
  private[dataset] def select(selection: RowRanges): Vector[(Fragment, RowRanges)] =
    fragments.flatMap { fragment =>
      val rows = rowsOf(fragment, selection)
      Option.unless(rows.isEmpty)(fragment -> rows)
    }

  /** Returns the fragments that have rows at some addresses. */
  private[dataset] def fragmentsOf(addresses: RowRanges): Vector[Fragment] = select(addresses).map(_._1)

  private[dataset] def deletion(fragment: Fragment): Option[DeletionSource] =
    fragment.deletionFile.map { file =>
      DeletionSource(paths.deletionFile(fragment, file), file.kind, file.deletedRows)
    }

  private[sparklance] def deletionVector(fragment: Fragment): Option[DeletionVector] =
    deletion(fragment).map(read(_, fragment))

  /** Returns the deleted rows of the file as it is now, even if those of earlier reads are kept. */
  private[dataset] def storedDeletions(fragment: Fragment): Option[DeletionVector] =
    deletion(fragment).map { source =>
      DeletionFiles.readNow(store, source.path, source.kind, physicalRows(fragment), source.rows)
    }

  /** Whether all rows of a fragment that an earlier deletion file names are still deleted. False if that file
    * cannot be read.
    */
  private[dataset] def stillDeletes(fragment: Fragment, earlier: Option[DeletionSource]): Boolean =
    earlier.forall { source =>
      deletion(fragment).exists { now =>
        now == source || Try(read(source, fragment)).toOption.exists(read(now, fragment).covers(_))
      }
    }

  private def read(source: DeletionSource, fragment: Fragment): DeletionVector =
    DeletionFiles.read(store, source.path, source.kind, physicalRows(fragment), source.rows)

  private[dataset] def deletedRows(fragment: Fragment): Long = deletion(fragment).fold(0L) { source =>
    source.rows.getOrElse(deletionVector(fragment).fold(0L)(_.cardinality))
  }
}

private object Snapshot {

  /** A row address has 32 bits for the offset in the fragment. */
  private val MaxFragmentRows = 1L << 32
}
