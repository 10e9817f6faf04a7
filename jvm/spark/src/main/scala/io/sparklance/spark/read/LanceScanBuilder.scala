package io.sparklance.spark.read

import org.apache.spark.sql.connector.read.{Scan, ScanBuilder, SupportsPushDownRequiredColumns}
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

import io.sparklance.dataset.{Dataset, SplitTarget}
import io.sparklance.schema.Field
import io.sparklance.spark.{LossyValues, SchemaConverter, TableLocation}

/** What a scan is to bring: all that is pushed down, as one value.
  *
  * @param projection top-level fields, in the order in which Spark wants them
  * @param batchRows rows of a batch, at most
  * @param split how large splits are to be, if not as Spark's settings have it
  */
final case class ScanSpec(
    projection: Vector[Field],
    batchRows: Int,
    lossyValues: LossyValues,
    split: Option[SplitTarget] = None
) {
  def schema: StructType = StructType(projection.map(SchemaConverter.toSpark(_, lossyValues)))
}

final class LanceScanBuilder(dataset: Dataset, location: TableLocation, all: ScanSpec)
    extends ScanBuilder
    with SupportsPushDownRequiredColumns {
  private var spec = all

  override def pruneColumns(required: StructType): Unit =
    spec = spec.copy(projection = LanceScanBuilder.prune(all.projection, required))

  override def build(): Scan = new LanceScan(dataset, location, spec)
}

private object LanceScanBuilder {

  /** What is required of `fields`, in the order in which it is. */
  def prune(fields: Vector[Field], required: StructType): Vector[Field] = {
    val byName = fields.map(f => f.name -> f).toMap
    required.fields.toVector.map(field => prune(byName(field.name), field.dataType))
  }

  /** More than what is required of a packed struct costs nothing: it is read as a whole. */
  private def prune(field: Field, required: DataType): Field = (required, field.children) match {
    case _ if field.isPacked => field
    case (struct: StructType, children) => field.copy(children = prune(children, struct))
    case (ArrayType(item, _), Vector(child)) => field.copy(children = Vector(prune(child, item)))
    case (MapType(key, value, _), Vector(entries)) =>
      val both = entries.children.zip(Vector(key, value)).map { case (child, kind) => prune(child, kind) }
      field.copy(children = Vector(entries.copy(children = both)))
    case _ => field
  }
}
