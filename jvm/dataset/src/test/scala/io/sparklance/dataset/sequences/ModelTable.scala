package io.sparklance.dataset.sequences

import scala.util.Using

import io.sparklance.data.{Column, FileVersion, Fixed64Block, RowRanges}
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.scan.{ScanPlan, SplitReader, SplitTarget}
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.dataset.write.{FragmentWriter, WrittenFile}
import io.sparklance.io.ObjectStore
import io.sparklance.schema.{Field, LanceSchema, LogicalType}

/** Reads and writes tables of numbers: `id`, which is never null, and others. */
private[sequences] object ModelTable {
  val Root = "/t"
  val Id = "id"

  private val told =
    Vector(MetadataColumn.RowId, MetadataColumn.RowCreatedAtVersion, MetadataColumn.RowLastUpdatedAtVersion)

  def field(name: String): Field =
    Field(LanceSchema.NoId, name, LogicalType.Integer(64, signed = true), nullable = name != Id)

  /** A file of rows, in their order. */
  def write(
      store: ObjectStore,
      schema: LanceSchema,
      version: FileVersion,
      rows: Vector[ModelRow]
  ): WrittenFile = {
    val writer = new FragmentWriter(store, Root, schema, version)
    rows.foreach { row =>
      schema.fields.zip(writer.columns).foreach { case (field, column) =>
        val value = if (field.name == Id) Some(row.id) else row.values.get(field.name)
        value.fold(column.appendNulls(1)) { number =>
          numbers(column).append(number)
          column.nulls.appendValid(1)
        }
      }
      writer.rowWritten()
    }
    writer.finish()
  }

  /** All rows, in the table's order. */
  def read(table: Dataset, selected: RowRanges = RowRanges.all): Vector[ModelRow] =
    scanned(table, if (table.hasStableRowIds) told else Vector.empty, selected) { (fields, extra) =>
      val named = table.schema.fields.map(_.name).zip(fields)
      ModelRow(
        fields.head.get,
        named.collect { case (name, Some(value)) if name != Id => name -> value }.toMap,
        Option.when(extra.nonEmpty)(ModelLineage(extra(0).get, extra(1).get, extra(2).get))
      )
    }

  /** Address of each row. */
  def addresses(table: Dataset): Map[Long, Long] =
    scanned(table, Vector(MetadataColumn.RowAddr))((fields, extra) => fields.head.get -> extra.head.get).toMap

  private def scanned[A](
      table: Dataset,
      extra: Vector[MetadataColumn],
      selected: RowRanges = RowRanges.all
  )(
      row: (Vector[Option[Long]], Vector[Option[Long]]) => A
  ): Vector[A] = {
    val fields = table.schema.fields
    ScanPlan.splits(table, fields ++ extra.map(_.field), SplitTarget.Rows(50), selected).flatMap { split =>
      Using.resource(new SplitReader(table.store, split, batchRows = 17)) { reader =>
        Iterator.continually(reader.next()).takeWhile(identity).flatMap { _ =>
          (0 until reader.rowCount).map { i =>
            val (values, others) = reader.columns.map(at(_, i)).splitAt(fields.size)
            row(values, others)
          }
        }.toVector
      }
    }
  }

  private def at(column: Column, i: Int): Option[Long] =
    Option.unless(column.nulls.isNull(i))(numbers(column).values(i))

  private def numbers(column: Column): Fixed64Block = column.values match {
    case block: Fixed64Block => block
    case other => throw new IllegalStateException(s"numbers in a ${other.getClass}")
  }
}
