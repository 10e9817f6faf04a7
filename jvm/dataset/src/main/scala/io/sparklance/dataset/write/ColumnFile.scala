package io.sparklance.dataset.write

import io.sparklance.data.{Column, DataBlock, FileVersion, NullMask, Slice, StructBlock}
import io.sparklance.dataset.blob.{BlobSideFiles, BlobWriter}
import io.sparklance.dataset.statistics.{ColumnStatistics, StatisticsCodec, ZoneCollector}
import io.sparklance.encoding.compression.FileDictionaries
import io.sparklance.encoding.logical.{FieldArrays, FieldPages}
import io.sparklance.file.{FileColumns, FileWriter, PageFamily}
import io.sparklance.io.{Closing, ObjectStore, StorePath}
import io.sparklance.schema.{Field, LanceSchema, Leaf, LogicalType}
import io.sparklance.table.{DataFileName, WriteId}

/** An unfinished data file with some columns of a fragment.
  *
  * @param schema
  *   its top-level fields, of which each has its place among [[LanceSchema.fields]] as number
  */
final private class ColumnFile(
    store: ObjectStore,
    root: String,
    schema: LanceSchema,
    format: DataFileFormat,
    write: WriteId
) extends AutoCloseable {
  import format.version

  private val fields = schema.fields.map(FieldPages.compressing(_, format.compression))
  private val leaves = fields.map(FileColumns.leaves)

  /** The first column in the file of each top-level field. */
  private val firstColumns = schema.fields.map(FileColumns.of(_, version).size).scanLeft(0)(_ + _)

  private val statistics: Vector[FieldStatistics] = FieldStatistics.of(schema, version, format.statistics)
  private val dictionaries = new FileDictionaries
  private val fileName = DataFileName.random(write)
  private val file = new FileWriter(store.create(StorePath.join(root, "data", fileName)), schema, version)
  private val sideFiles = new BlobSideFiles(store, root, fileName)
  private var families = PageCounts()
  private var pageCount = 0L
  private var isFinished = false

  def bytesWritten: Long = file.position + sideFiles.bytesWritten
  def pagesWritten: Long = pageCount

  /** Returns the writer of a field's blobs. */
  def blobs(field: Field, column: Column): BlobWriter = BlobWriter.of(field, column, file, sideFiles)

  /** Writes the values of field number `i`, which follow the `firstRow` rows written before. */
  def append(i: Int, column: Column, firstRow: Long): Unit = {
    statistics(i).append(column)
    version match {
      case FileVersion.V0_1 | FileVersion.V2_0 => writeArrays(i, column)
      case FileVersion.V2_1 | FileVersion.V2_2 => writePages(i, column, firstRow)
    }
  }

  /** Completes the file of `rows` rows, which becomes visible. */
  def finish(rows: Long): WrittenFile = {
    if (rows > 0) statistics.foreach(_.write(file))
    sideFiles.finish()
    val size = file.finish()
    isFinished = true
    WrittenFile.of(schema, version, fileName, size, rows).copy(pages = families)
  }

  /** Removes the file. */
  override def close(): Unit =
    if (isFinished) WriteId.removeFile(store, root, fileName)
    else Closing.all(Vector[AutoCloseable](() => file.abort(), () => sideFiles.abort()))

  private def writePages(i: Int, column: Column, firstRow: Long): Unit =
    FieldPages.encode(column, leaves(i), version, dictionaries).zipWithIndex.foreach { case (pages, leaf) =>
      pages.zip(pages.scanLeft(firstRow)(_ + _.rows)).foreach { case (page, first) =>
        file.writePage(firstColumns(i) + leaf, page, first)
        pageCount += 1
        families = families.and(PageFamily.of(page.layout))
      }
    }

  private def writeArrays(i: Int, column: Column): Unit =
    FieldArrays.encode(column, fields(i), dictionaries).zipWithIndex.foreach { case (page, leaf) =>
      file.writeArray(firstColumns(i) + leaf, page)
      pageCount += 1
    }
}

private object ColumnFile {

  /** Opens a file for each of `schemas`. A failure leaves none. */
  def openAll(schemas: Vector[LanceSchema])(open: LanceSchema => ColumnFile): Vector[ColumnFile] =
    schemas.foldLeft(Vector.empty[ColumnFile]) { (files, schema) =>
      files :+ Closing.ifFailed(() => Closing.all(files))(open(schema))
    }
}

/** Statistics of a top-level field's leaves, except those in lists, whose values are not rows.
  *
  * @param columns
  *   columns of the file, by leaf
  */
final private class FieldStatistics(leaves: Vector[Leaf], columns: Map[Int, Int], positions: Array[Int]) {
  private val collectors = leaves.map(leaf => leaf -> new ZoneCollector(leaf.field.logicalType, positions))

  /** Adds all rows of the field's column, which follow the rows added before. */
  def append(column: Column): Unit = collectors.foreach { case (leaf, collector) =>
    val (values, nulls) = FieldStatistics.valuesOf(column, leaf.path)
    collector.append(values, nulls)
  }

  /** Writes the statistics. Call once. */
  def write(file: FileWriter): Unit = collectors.foreach { case (leaf, collector) =>
    val column = columns(leaf.field.id)
    file.writeColumnBuffer(
      column,
      Slice(StatisticsCodec.print(collector.finish(), column, leaf.field.logicalType))
    )
  }
}

private object FieldStatistics {

  /** Returns statistics for each top-level field. */
  def of(schema: LanceSchema, version: FileVersion, kind: StatisticsKind): Vector[FieldStatistics] = {
    val columns = FileColumns.of(schema, version).map(_.id).zipWithIndex.toMap
    val positions = new Array[Int](ColumnStatistics.RowsPerZone)
    schema.fields.map { field =>
      val leaves = kind match {
        case StatisticsKind.Omitted => Vector.empty
        case StatisticsKind.Zones =>
          FileColumns.leaves(field).filter(leaf => hasBounds(leaf.field) && leaf.around.forall(isStruct))
      }
      new FieldStatistics(leaves, columns, positions)
    }
  }

  /** Whether a field has bounds. Packed structs and blobs have none: their columns hold several values side
    * by side.
    */
  private def hasBounds(field: Field): Boolean = !isStruct(field) && !field.isBlob

  private def isStruct(field: Field): Boolean = field.logicalType == LogicalType.Struct

  /** Returns a leaf's values with their nulls and those of the structs around them. */
  private def valuesOf(column: Column, path: Vector[Field]): (DataBlock, Vector[NullMask]) =
    (column.values, path) match {
      case (structs: StructBlock, outer +: inner +: _) =>
        val (values, nulls) = valuesOf(structs.children(outer.children.indexOf(inner)), path.tail)
        (values, column.nulls +: nulls)
      case (values, _) => (values, Vector(column.nulls))
    }
}
