package io.sparklance.spark.read

import org.apache.spark.sql.connector.expressions.filter.{Predicate => SparkPredicate}
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

import io.sparklance.data.RowRanges
import io.sparklance.dataset.order.TopRows
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.scan.{RowSample, RowSlice, SplitTarget}
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.index.ListTest
import io.sparklance.index.search.BrokenIndices
import io.sparklance.schema.Field
import io.sparklance.spark.types.{ReadTypeOptions, SchemaConverter}

/** A scan with everything that is pushed down, as one value.
  *
  * @param projection
  *   top-level fields and metadata columns, in Spark's order
  * @param batchRows
  *   largest number of rows of a batch
  * @param split
  *   size of splits, if not by the settings of the session that runs the scan
  * @param filters
  *   filters on the rows; not together with a slice
  * @param indices
  *   use of scalar indices
  */
final private[sparklance] case class ScanSpec(
    projection: Vector[Field],
    batchRows: Int,
    readTypes: ReadTypeOptions,
    split: Option[SplitTarget] = None,
    rows: ScanRows = ScanRows(),
    filters: ScanFilters = ScanFilters.none,
    indices: ScanIndices = ScanIndices()
) {
  def schema: StructType = StructType(projection.map(SchemaConverter.toSpark(_, readTypes)))

  /** Prunes the projection to the required fields, in their order. */
  def pruned(required: StructType): ScanSpec = {
    val known = MetadataColumn.all.map(_.field) ++ projection
    copy(projection = ScanSpec.prune(known, required))
  }

  def withRows(change: ScanRows => ScanRows): ScanSpec = copy(rows = change(rows))

  /** Whether every row of the table is wanted. */
  def isWhole: Boolean = rows.isAll && filters.isEmpty
}

/** The rows that a scan may return, before filters.
  *
  * @param addresses
  *   addresses of the wanted rows
  * @param slice
  *   wanted range of the live rows among these; all of them if there is a sample or an order
  * @param sample
  *   random sample of rows
  * @param top
  *   top-N order: the scan may leave out rows that are not among the first ones
  */
final private[sparklance] case class ScanRows(
    addresses: RowRanges = RowRanges.all,
    slice: RowSlice = RowSlice.all,
    sample: Option[RowSample] = None,
    top: Option[TopRows] = None
) {
  def isAll: Boolean = addresses == RowRanges.all && slice.isAll && sample.isEmpty && top.isEmpty
}

/** Filters that the reader evaluates completely.
  *
  * @param pushed
  *   Spark's form of those that are known when a query is planned
  */
final private[sparklance] case class ScanFilters(predicate: Predicate, pushed: Vector[SparkPredicate]) {
  def isEmpty: Boolean = predicate == Predicate.Always
}

/** The use of scalar indices.
  *
  * @param broken
  *   the treatment of broken ones; None to use none
  * @param lists
  *   tests that Spark makes of each row, so that indices may leave out rows that fail
  * @param rechecks
  *   whether rows are tested again even if indices answer all filters exactly
  */
final private[sparklance] case class ScanIndices(
    broken: Option[BrokenIndices] = None,
    lists: Vector[ListTest] = Vector.empty,
    rechecks: Boolean = false
)

private[sparklance] object ScanFilters {
  val none: ScanFilters = ScanFilters(Predicate.Always, Vector.empty)
}

private[sparklance] object ScanSpec {

  private def prune(fields: Vector[Field], required: StructType): Vector[Field] = {
    val byName = fields.map(f => f.name -> f).toMap
    required.fields.toVector.map(field => prune(byName(field.name), field.dataType))
  }

  /** Prunes a field. Packed structs and descriptors stay whole, because they are read as a whole. */
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
