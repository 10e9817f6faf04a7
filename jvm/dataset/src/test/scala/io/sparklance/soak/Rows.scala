package io.sparklance.soak

import io.sparklance.data.{FileVersion, Fixed64Block, RowRanges}
import io.sparklance.dataset.write.{FragmentWriter, WriteSchema, WrittenFile}
import io.sparklance.dataset.{Dataset, MovedRows, RowOperations}
import io.sparklance.io.LocalStore
import io.sparklance.schema.{Field, LanceSchema, LogicalType}

/** Writes rows with an id and a value. */
final private case class Rows(path: String) {
  val fileVersion: FileVersion = FileVersion.default

  val schema: LanceSchema = WriteSchema.forNewTable(LanceSchema(Vector("id", "value").zipWithIndex.map {
    case (name, id) => Field(id, name, LogicalType.Integer(64, signed = true), nullable = true)
  }))

  def delete(table: Dataset, rows: Vector[Row]): Dataset =
    table.commit(RowOperations.delete(table, addresses(rows), "some")).dataset

  /** Writes rows again, with equal values. */
  def update(table: Dataset, rows: Vector[Row]): Dataset = {
    val file = written(table, rows.map(row => row.id -> row.value))
    val moved = Vector(MovedRows(file, Array.emptyLongArray))
    table.commit(RowOperations.update(table, addresses(rows), moved)).dataset
  }

  private def addresses(rows: Vector[Row]): RowRanges = RowRanges.ofRows(rows.map(_.address).toArray)

  def written(table: Dataset, rows: Vector[(Long, Long)]): WrittenFile = {
    val writer = new FragmentWriter(LocalStore, path, table.schema, table.fileVersion)
    rows.foreach { case (id, value) =>
      writer.columns.zip(Vector(id, value)).foreach { case (column, number) =>
        column.values match {
          case block: Fixed64Block => block.append(number)
          case other => throw new IllegalStateException(s"no block of numbers: $other")
        }
        column.nulls.appendValid(1)
      }
      writer.rowWritten()
    }
    writer.finish()
  }
}
