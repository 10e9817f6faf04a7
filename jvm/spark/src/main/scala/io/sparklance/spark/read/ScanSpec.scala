package io.sparklance.spark.read

import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

import io.sparklance.data.RowRanges
import io.sparklance.dataset.order.TopRows
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.scan.{RowSample, RowSlice, SplitTarget}
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.schema.Field
import io.sparklance.spark.types.{ReadTypeOptions, SchemaConverter}

/** What a scan is to bring: all that is pushed down, as one value.
  *
  * @param projection top-level fields and those of metadata columns, in the order in which Spark wants them
  * @param batchRows rows of a batch, at most
  * @param split how large splits are to be, if not as Spark's settings have it
  * @param selection addresses of the only rows that are wanted
  * @param slice which of the live ones among these
  * @param filters what the rows must fulfil that are brought; not together with a slice
  * @param sample a random choice of rows; then the slice is all
  * @param top the order of which only rows are wanted that may be among the first; then the slice is all
  */
final case class ScanSpec(
    projection: Vector[Field],
    batchRows: Int,
    readTypes: ReadTypeOptions,
    split: Option[SplitTarget] = None,
    selection: RowRanges = RowRanges.all,
    slice: RowSlice = RowSlice.all,
    filters: ScanFilters = ScanFilters.none,
    sample: Option[RowSample] = None,
    top: Option[TopRows] = None
) {
  def schema: StructType = StructType(projection.map(SchemaConverter.toSpark(_, readTypes)))

  /** The same scan of what is required of its fields, in the order in which it is. */
  def pruned(required: StructType): ScanSpec = {
    val known = MetadataColumn.all.map(_.field) ++ projection
    copy(projection = ScanSpec.prune(known, required))
  }

  /** Whether every row of the table is wanted. */
  def isWhole: Boolean =
    selection == RowRanges.all && slice.isAll && filters.isEmpty && sample.isEmpty && top.isEmpty
}

/** Filters that the reader evaluates, so that Spark does not again.
  *
  * @param texts as Spark calls them, for EXPLAIN
  */
final case class ScanFilters(predicate: Predicate, texts: Vector[String]) {
  def isEmpty: Boolean = predicate == Predicate.Always
}

object ScanFilters {
  val none: ScanFilters = ScanFilters(Predicate.Always, Vector.empty)
}

object ScanSpec {

  private def prune(fields: Vector[Field], required: StructType): Vector[Field] = {
    val byName = fields.map(f => f.name -> f).toMap
    required.fields.toVector.map(field => prune(byName(field.name), field.dataType))
  }

  /** More than what is required of a packed struct or of a descriptor costs nothing: it is read as a whole. */
  private def prune(field: Field, required: DataType): Field = (required, field.children) match {
    case _ if field.isPacked || field.isBlob => field
    case (struct: StructType, children) => field.copy(children = prune(children, struct))
    case (ArrayType(item, _), Vector(child)) => field.copy(children = Vector(prune(child, item)))
    case (MapType(key, value, _), Vector(entries)) =>
      val both = entries.children.zip(Vector(key, value)).map { case (child, kind) => prune(child, kind) }
      field.copy(children = Vector(entries.copy(children = both)))
    case _ => field
  }
}
