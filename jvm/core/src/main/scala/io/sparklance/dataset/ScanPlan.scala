package io.sparklance.dataset

import io.sparklance.data.RowRange
import io.sparklance.schema.LogicalType._
import io.sparklance.schema.{Field, LogicalType}
import io.sparklance.table.{DataFile, Fragment}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Cuts a table into tasks of about equal work. */
object ScanPlan {

  /** A task for every stretch of a fragment whose projected columns take about `targetBytes` on disk; stretches begin at
    * any row. Tasks come in the table's order of rows.
    *
    * @param projection top-level fields of the table's schema, with all that is in them or a part of it
    */
  def tasks(dataset: Dataset, projection: Vector[Field], targetBytes: Long): Vector[FragmentTask] = {
    require(targetBytes > 0, s"a target of $targetBytes bytes")
    dataset.locating(fragmentTasks(dataset, projection, targetBytes))
  }

  private def fragmentTasks(
      dataset: Dataset,
      projection: Vector[Field],
      targetBytes: Long
  ): Vector[FragmentTask] = {
    val weights = dataset.schema.preOrder.map(field => field.id -> width(field)).toMap
    dataset.fragments.flatMap { fragment =>
      val witnesses = witnessesOf(dataset, fragment, projection)
      val wanted = (projection ++ witnesses).flatMap(_.preOrder).map(_.id).toSet
      val files = fragment.files.filter(_.fieldIds.exists(wanted))
      val rows = dataset.physicalRows(fragment)
      val bytes = files.map(projectedBytes(_, wanted, weights, rows)).sum
      val whole = FragmentTask(
        fragment.id,
        files.map(source(dataset, fragment, _)),
        rows,
        dataset.deletion(fragment),
        RowRange(0, rows),
        projection,
        witnesses
      )
      cut(rows, math.min(bytes / targetBytes, MaxParts - 1) + 1).map(range => whole.copy(rows = range))
    }
  }

  private def witnessesOf(dataset: Dataset, fragment: Fragment, projection: Vector[Field]): Vector[Field] = {
    val stored = fragment.files.flatMap(f => f.fieldIds.zip(f.columnIndices)).collect {
      case (id, column) if column >= 0 => id
    }.toSet
    projection.flatMap { field =>
      val whole = dataset.schema.fields.find(_.id == field.id).getOrElse(field)
      Witnesses.of(whole, field, f => stored(f.id)).map(_.only)
    }
  }

  /** Keeps a wrong file size from flooding the driver with tasks. */
  private val MaxParts = 1L << 16

  /** `rows` in at most `parts` ranges whose lengths differ by one at most. */
  private def cut(rows: Long, parts: Long): Vector[RowRange] = {
    val count = math.max(1L, math.min(parts, rows)).toInt
    val bounds = Vector.tabulate(count + 1)(i => rows / count * i + math.min(rows % count, i.toLong))
    bounds.zip(bounds.tail).map { case (start, end) => RowRange(start, end) }
  }

  private def source(dataset: Dataset, fragment: Fragment, file: DataFile): FileSource = {
    if (file.version.isEmpty)
      throw new UnsupportedLanceFeatureException(s"the file version ${file.versionName} of ${file.path}")
    if (file.fieldIds.size != file.columnIndices.size)
      throw new LanceFormatException(
        s"data file ${file.path} of fragment ${fragment.id} has ${file.fieldIds.size} fields and " +
          s"${file.columnIndices.size} columns"
      )
    val (fieldIds, columns) = file.fieldIds.zip(file.columnIndices).filter(_._1 >= 0).unzip
    FileSource(dataset.dataFile(file), file.size, fieldIds, columns)
  }

  /** A guess: the file's size, shared out by the usual widths of its columns' types. */
  private def projectedBytes(
      file: DataFile,
      wanted: Set[Int],
      weights: Map[Int, Double],
      rows: Long
  ): Long = {
    def weight(ids: Vector[Int]): Double = ids.map(weights.getOrElse(_, UnknownWidth)).sum
    val all = weight(file.fieldIds)
    val share = weight(file.fieldIds.filter(wanted))
    file.size.fold(rows * share)(size => size * share / all).toLong
  }

  private val UnknownWidth = 8.0
  private val StringWidth = 24.0

  /** Bytes of a value of the field itself; its children count for themselves. */
  private def width(field: Field): Double = width(field.logicalType)

  private def width(logicalType: LogicalType): Double = logicalType match {
    case Null | Struct | LogicalType.Map => 0.125
    case Bool => 0.125
    case Integer(bits, _) => bits / 8.0
    case FloatingPoint(bits) => bits / 8.0
    case Decimal(bits, _, _) => bits / 8.0
    case BFloat16 => 2
    case Date32 => 4
    case Date64 | Time(_) | Timestamp(_, _) | Duration(_) => 8
    case FixedSizeBinary(bytes) => bytes.toDouble
    case FixedSizeList(item, size) => width(item) * size
    case LogicalType.List(_, _) => 1
    case Dictionary(_, index) => width(index)
    case Utf8(_) | Binary(_) | Json | Blob => StringWidth
  }
}
