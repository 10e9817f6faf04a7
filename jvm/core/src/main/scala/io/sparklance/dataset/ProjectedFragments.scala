package io.sparklance.dataset

import scala.collection.mutable

import io.sparklance.data.RowRange
import io.sparklance.schema.Field
import io.sparklance.table.{DataFile, Fragment}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** What of each fragment a projection needs. Most fragments of a table have the same columns in their files, and what follows
  * from these is found once.
  *
  * @param projection top-level fields of the table's schema, with all that is in them or a part of it
  */
final private class ProjectedFragments(dataset: Dataset, projection: Vector[Field]) {
  private val widths = dataset.schema.preOrder.map(field => field.id -> FieldWidth.of(field)).toMap
  private val rowWidth = projection.flatMap(_.preOrder).map(width).sum
  private val layouts = mutable.HashMap.empty[Vector[ProjectedFragments.Columns], Layout]

  /** All rows of a fragment. */
  def task(fragment: Fragment): FragmentTask = {
    val files = fragment.files
    val layout = layoutOf(files)
    val sources = files.iterator.zip(layout.files).collect { case (file, Some(wanted)) =>
      if (file.version.isEmpty)
        throw new UnsupportedLanceFeatureException(s"the file version ${file.versionName} of ${file.path}")
      if (file.fieldIds.size != file.columnIndices.size)
        throw new LanceFormatException(
          s"data file ${file.path} of fragment ${fragment.id} has ${file.fieldIds.size} fields and " +
            s"${file.columnIndices.size} columns"
        )
      FileSource(dataset.dataFile(file), file.size, wanted.fieldIds, wanted.columnIndices)
    }
    val rows = dataset.physicalRows(fragment)
    FragmentTask(
      fragment.id,
      sources.toVector,
      rows,
      dataset.deletion(fragment),
      RowRange(0, rows),
      projection,
      layout.witnesses
    )
  }

  def work(fragment: Fragment): FragmentWork = {
    val rows = dataset.physicalRows(fragment)
    val files = fragment.files
    val bytes = files.iterator.zip(layoutOf(files).files).collect { case (file, Some(wanted)) =>
      file.size.fold(rows * wanted.rowWidth)(size => math.max(0, size) * wanted.share)
    }.sum
    FragmentWork(rows, bytes, math.max(bytes, rows * math.max(FieldWidth.Unknown, rowWidth)))
  }

  private def layoutOf(files: Vector[DataFile]): Layout =
    layouts.getOrElseUpdate(files.map(f => f.fieldIds -> f.columnIndices), layout(files))

  private def layout(files: Vector[DataFile]): Layout = {
    val stored = files.flatMap(f => f.fieldIds.zip(f.columnIndices)).collect {
      case (id, column) if column >= 0 => id
    }.toSet
    val witnesses = projection.filter(_.children.nonEmpty).flatMap { field =>
      val whole = dataset.schema.fields.find(_.id == field.id).getOrElse(field)
      Witnesses.of(whole, field, f => stored(f.id)).map(_.only)
    }
    val wanted = (projection ++ witnesses).flatMap(_.preOrder).map(_.id).toSet
    new Layout(witnesses, files.map(file => Option.when(file.fieldIds.exists(wanted))(columns(file, wanted))))
  }

  private def columns(file: DataFile, wanted: Set[Int]): WantedColumns = {
    val (ids, indices) = file.fieldIds.zip(file.columnIndices).filter { case (id, _) => wanted(id) }.unzip
    val rowWidth = file.fieldIds.filter(wanted).map(width).sum
    WantedColumns(ids, indices, rowWidth, rowWidth / file.fieldIds.map(width).sum)
  }

  private def width(field: Field): Double = width(field.id)
  private def width(id: Int): Double = widths.getOrElse(id, FieldWidth.Unknown)
}

/** What is wanted of fragments whose files have the same columns.
  *
  * @param files the columns that are wanted of each file, if any are
  */
final private class Layout(val witnesses: Vector[Field], val files: Vector[Option[WantedColumns]])

/** @param rowWidth guessed bytes of a row
  * @param share of the file's bytes, guessed likewise
  */
final private case class WantedColumns(
    fieldIds: Vector[Int],
    columnIndices: Vector[Int],
    rowWidth: Double,
    share: Double
)

private object ProjectedFragments {

  /** The fields and the columns of a data file. */
  private type Columns = (Vector[Int], Vector[Int])
}
