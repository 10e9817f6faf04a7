package io.sparklance.dataset.write

import io.sparklance.data.{Column, DataBlock, FileVersion, NullMask, Slice, StructBlock}
import io.sparklance.dataset.statistics.{ColumnStatistics, StatisticsCodec, ZoneCollector}
import io.sparklance.file.{FileColumns, FileWriter}
import io.sparklance.schema.{Field, LanceSchema, Leaf, LogicalType}

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
