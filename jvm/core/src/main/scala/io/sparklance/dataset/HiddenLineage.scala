package io.sparklance.dataset

import scala.collection.immutable.ArraySeq
import scala.util.Using

import io.sparklance.LanceFormatException
import io.sparklance.data.{Column, Fixed64Block, RowRange}
import io.sparklance.file.{ColumnRequest, FileReader, FileScan}
import io.sparklance.schema.{Field, Leaf, LogicalType}
import io.sparklance.table.rowid.{RowIdEncoder, RowVersionEncoder}
import io.sparklance.table.{DataFile, Fragment}

/** Row ids, and versions of rows, that a writer has put into a column of a data file, since they are too many for the
  * manifest. No field of the schema has the number of such a column. They are read as what the manifest would have of them.
  */
final private class HiddenLineage(dataset: Dataset) {
  import HiddenLineage._

  def rowIds(fragment: Fragment): ArraySeq[Byte] =
    message(RowIdEncoder.encode(numbers(fragment, RowIds)).toByteArray)

  def createdAtVersions(fragment: Fragment): ArraySeq[Byte] =
    message(RowVersionEncoder.encode(numbers(fragment, CreatedAtVersions)).toByteArray)

  def lastUpdatedAtVersions(fragment: Fragment): ArraySeq[Byte] =
    message(RowVersionEncoder.encode(numbers(fragment, LastUpdatedAtVersions)).toByteArray)

  private def message(bytes: Array[Byte]) = ArraySeq.unsafeWrapArray(bytes)

  private def numbers(fragment: Fragment, field: Field): Array[Long] = {
    val file = fragment.files.find(_.fieldIds.contains(field.id)).getOrElse(
      throw new LanceFormatException(
        s"fragment ${fragment.id} has its ${field.name} in a hidden column, which none of its files has"
      )
    )
    val rows = dataset.physicalRows(fragment)
    val path = dataset.dataFile(file)
    val request = Vector(ColumnRequest(columnOf(file, field), Leaf(Vector.empty, field)))
    Using.resource(FileReader.open(dataset.store, path, file.size)) { reader =>
      read(reader.scan(request, RowRange(0, rows), rows), s"${field.name} in $path")
    }
  }

  private def columnOf(file: DataFile, field: Field): Int =
    file.columnIndices.lift(file.fieldIds.indexOf(field.id)).filter(_ >= 0).getOrElse(
      throw new LanceFormatException(s"the file ${file.path} names no column for its ${field.name}")
    )

  private def read(scan: FileScan, what: String): Array[Long] = {
    val found = Array.newBuilder[Long]
    var count = scan.fill(BatchRows)
    while (count > 0) {
      found ++= values(scan.columns.head, count, what)
      scan.advance(count)
      scan.columns.head.discardHead(count)
      count = scan.fill(BatchRows)
    }
    found.result()
  }

  private def values(column: Column, count: Int, what: String): Array[Long] = column.values match {
    case block: Fixed64Block =>
      val numbers = block.values.take(count)
      numbers.indices.find(i => column.nulls.isNull(i) || numbers(i) < 0).foreach { i =>
        val value = if (column.nulls.isNull(i)) "null" else java.lang.Long.toUnsignedString(numbers(i))
        throw new LanceFormatException(s"$what is $value of some row")
      }
      numbers
    case _ => throw new LanceFormatException(s"$what is no column of numbers")
  }
}

private object HiddenLineage {
  private val BatchRows = 1 << 14

  private val RowIds = field(-3, MetadataColumn.RowId)
  private val CreatedAtVersions = field(-4, MetadataColumn.RowCreatedAtVersion)
  private val LastUpdatedAtVersions = field(-5, MetadataColumn.RowLastUpdatedAtVersion)

  private def field(id: Int, column: MetadataColumn): Field =
    Field(id, column.name, LogicalType.Integer(64, signed = false), nullable = false)
}
