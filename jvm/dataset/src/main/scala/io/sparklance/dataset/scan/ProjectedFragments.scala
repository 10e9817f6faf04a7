package io.sparklance.dataset.scan

import scala.collection.mutable

import io.sparklance.data.{FileVersion, RowRanges}
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.snapshot.{HiddenColumn, MetadataColumn, Snapshot}
import io.sparklance.file.FileColumns
import io.sparklance.schema.{BlobVersion, Field, Leaf}
import io.sparklance.table.{DataFile, Fragment}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** The part of each fragment that a projection needs. Most fragments of a table have files with the same
  * columns, so the layout is computed once for these.
  *
  * @param projection
  *   top-level fields of the table's schema, with all that is in them or a part of it
  * @param predicate
  *   what the rows that are read must fulfil
  * @param sorted
  *   what an order is of
  */
final private class ProjectedFragments(
    snapshot: Snapshot,
    projection: Vector[Field],
    predicate: Predicate,
    sorted: Option[Leaf]
) {
  private val tested = (predicate.leaves ++ sorted).flatMap(_.path.map(_.id)).toSet
  private val widths = snapshot.schema.preOrder.map(field => field.id -> FieldWidth.of(field)).toMap
  private val rowWidth = (projection.flatMap(_.preOrder).map(_.id) ++ tested).distinct.map(width).sum
  private val leafCount = projection.flatMap(_.preOrder).count(_.children.isEmpty) + predicate.leaves.size
  private val stored =
    snapshot.schema.preOrder.filter(f => f.children.isEmpty || f.isPacked || f.isBlob).map(_.id).toSet
  private val metadataColumns = projection.flatMap(MetadataColumn.of)
  private val hiddenColumns = HiddenColumn.of(metadataColumns)
  private val blobBases: Map[Int, String] =
    if (!projection.flatMap(_.preOrder).exists(_.blobVersion.contains(BlobVersion.V2))) Map.empty
    else snapshot.manifest.basePaths.map(base => base.id -> base.path).toMap
  private val layouts = mutable.HashMap.empty[Vector[ProjectedFragments.Shape], Layout]

  /** The task to read some rows of a fragment, and what it takes. */
  def plan(fragment: Fragment, rows: RowRanges): (FragmentTask, FragmentWork) = {
    val files = fragment.files
    val layout = layouts.getOrElseUpdate(files.map(ProjectedFragments.shape), this.layout(files))
    val wanted = files.zip(layout.files).collect { case (file, Some(columns)) => file -> columns }
    val hidden = hiddenColumns.filter(HiddenColumn.isIn(fragment, _))
    hidden.foreach(checkHidden(fragment, _))
    val task = FragmentTask(
      fragment.id,
      wanted.map { case (file, columns) => source(fragment, file, columns) },
      snapshot.physicalRows(fragment),
      snapshot.deletion(fragment),
      rows,
      projection,
      layout.witnesses,
      hidden,
      metadataColumns.diff(hidden.map(_.shows)).flatMap(snapshot.numbers(fragment, _)),
      bases = blobBases,
      predicate = predicate
    )
    task -> work(task, wanted)
  }

  private def source(fragment: Fragment, file: DataFile, columns: WantedColumns): FileSource = {
    if (!columns.isReadable)
      throw new UnsupportedLanceFeatureException(s"the file version ${file.versionName} of ${file.path}")
    if (!columns.isEven)
      throw new LanceFormatException(
        s"data file ${file.path} of fragment ${fragment.id} has ${file.fieldIds.size} fields and " +
          s"${file.columnIndices.size} columns"
      )
    columns.unplaced.foreach { id =>
      throw new LanceFormatException(
        s"data file ${file.path} of fragment ${fragment.id} names no column for field $id, which has values"
      )
    }
    FileSource(
      snapshot.dataFile(file),
      file.size,
      columns.fieldIds,
      columns.columnIndices,
      Option.when(file.version.contains(FileVersion.V0_1))(file.fieldIds.head)
    )
  }

  private def checkHidden(fragment: Fragment, hidden: HiddenColumn): Unit = {
    val file = fragment.files.find(_.fieldIds.contains(hidden.field.id)).getOrElse(
      throw new LanceFormatException(
        s"fragment ${fragment.id} has its ${hidden.shows.name} in a hidden column, which none of its files has"
      )
    )
    if (!file.columnIndices.lift(file.fieldIds.indexOf(hidden.field.id)).exists(_ >= 0))
      throw new LanceFormatException(s"the file ${file.path} names no column for its ${hidden.shows.name}")
  }

  /** Stretches of rows that are not the whole fragment cost some more than is wanted. */
  private def work(task: FragmentTask, files: Vector[(DataFile, WantedColumns)]): FragmentWork = {
    val bytes = files.iterator.map { case (file, columns) =>
      file.size.fold(task.physicalRows * columns.rowWidth)(math.max(0, _) * columns.share)
    }.sum
    val effort = math.max(bytes, task.physicalRows * math.max(FieldWidth.Unknown, rowWidth))
    val share = task.rows.count.toDouble / task.physicalRows
    val surplus = if (share < 1) task.rows.ranges.size * ProjectedFragments.ChunkBytes * leafCount else 0.0
    FragmentWork(
      task.rows.count,
      math.min(bytes, bytes * share + surplus),
      math.min(effort, effort * share + surplus)
    )
  }

  private def layout(files: Vector[DataFile]): Layout = {
    val stored = files.flatMap(f => f.fieldIds.zip(f.columnIndices)).collect {
      case (id, column) if column >= 0 => id
    }.toSet
    val witnesses = projection.filter(_.children.nonEmpty).flatMap { field =>
      val whole = snapshot.schema.fields.find(_.id == field.id).getOrElse(field)
      Witnesses.of(whole, field, f => stored(f.id)).map(_.only)
    }
    val wanted = (projection ++ witnesses ++ hiddenColumns.map(_.field)).flatMap(
      _.preOrder
    ).map(_.id).toSet ++ tested
    new Layout(witnesses, files.map(file => Option.when(file.fieldIds.exists(wanted))(columns(file, wanted))))
  }

  private def columns(file: DataFile, wanted: Set[Int]): WantedColumns = {
    val (ids, indices) = file.fieldIds.zip(file.columnIndices).filter { case (id, _) => wanted(id) }.unzip
    val rowWidth = file.fieldIds.filter(wanted).map(width).sum
    val share = rowWidth / file.fieldIds.map(width).sum
    WantedColumns(
      ids,
      indices,
      rowWidth,
      share,
      file.version.isDefined,
      file.fieldIds.size == file.columnIndices.size,
      if (file.version.exists(ProjectedFragments.placesAll))
        ids.zip(indices).collectFirst { case (id, column) if column < 0 && stored(id) => id }
      else None
    )
  }

  private def width(id: Int): Double = widths.getOrElse(id, FieldWidth.Unknown)
}

/** The wanted columns of fragments whose files have the same columns.
  *
  * @param files
  *   wanted columns of each file, if any
  */
final private class Layout(val witnesses: Vector[Field], val files: Vector[Option[WantedColumns]])

/** The columns of a file that a projection needs.
  *
  * @param rowWidth
  *   guessed bytes of a row
  * @param share
  *   of the file's bytes, guessed likewise
  * @param isReadable
  *   whether the file's version is one that is read
  * @param isEven
  *   whether the file has as many columns as it has fields, according to the manifest
  * @param unplaced
  *   a field that must have a column and has none, according to the manifest
  */
final private case class WantedColumns(
    fieldIds: Vector[Int],
    columnIndices: Vector[Int],
    rowWidth: Double,
    share: Double,
    isReadable: Boolean,
    isEven: Boolean,
    unplaced: Option[Int]
)

private object ProjectedFragments {

  /** All of a data file that its part in the layout follows from. */
  private type Shape = (Seq[Int], Seq[Int], Int, Int)

  private def shape(file: DataFile): Shape =
    (file.message.fields, file.message.columnIndices, file.majorVersion, file.minorVersion)

  /** Whether files of a version have a column for each field with values of its own. */
  private def placesAll(version: FileVersion): Boolean = version match {
    case FileVersion.V0_1 | FileVersion.V2_0 => false
    case FileVersion.V2_1 | FileVersion.V2_2 => true
  }

  /** Approximate bytes of a column that are decoded at once. */
  final private val ChunkBytes = 4096.0
}

/** Columns read for their structs and lists. Only leaves record which structs are null and how long lists
  * are. If a projection wants no existing leaf of one, another leaf is read instead: its witness.
  */
private object Witnesses {

  /** @param full
    *   a top-level field with all that is in it
    * @param projected
    *   the same, with what is wanted of it
    * @param isStored
    *   whether the fragment has a column for a field
    */
  def of(full: Field, projected: Field, isStored: Field => Boolean): Vector[Leaf] = {
    val stored = FileColumns.leaves(full).filter(leaf => isStored(leaf.field))
    def within(field: Field): Vector[Leaf] = stored.filter(_.around.exists(_.id == field.id))
    def needed(field: Field): Vector[Leaf] = {
      val inside = field.children.flatMap(needed)
      val wanted = FileColumns.leaves(field).map(_.field.id)
      if (inside.nonEmpty || within(field).exists(leaf => wanted.contains(leaf.field.id))) inside
      else within(field).headOption.toVector
    }
    needed(projected)
  }
}
