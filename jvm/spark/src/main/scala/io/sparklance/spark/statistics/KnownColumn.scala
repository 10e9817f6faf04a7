package io.sparklance.spark.statistics

import java.util.{Optional, OptionalLong}

import scala.util.Try

import org.apache.spark.sql.catalyst.catalog.CatalogColumnStat
import org.apache.spark.sql.connector.read.colstats.ColumnStatistics
import org.apache.spark.sql.types.{DataType, Decimal}

import io.sparklance.dataset.Dataset
import io.sparklance.schema.Field
import io.sparklance.table.VersionIdentity

/** A column's statistics in a version of the table.
  *
  * @param bounds
  *   Spark's internal values; None if the table's data files are others since. Estimates by old bounds would
  *   miss new rows, so that Spark might broadcast a large table
  */
final private[spark] case class KnownColumn(
    counts: ValueCounts,
    sizes: ValueSizes,
    bounds: Option[(Any, Any)]
) extends ColumnStatistics {
  override def distinctCount(): OptionalLong = OptionalLong.of(counts.distinct)
  override def nullCount(): OptionalLong = OptionalLong.of(counts.nulls)
  override def avgLen(): OptionalLong = OptionalLong.of(sizes.average)
  override def maxLen(): OptionalLong = OptionalLong.of(sizes.longest)
  override def min(): Optional[Object] = boxed(_._1)
  override def max(): Optional[Object] = boxed(_._2)

  /** The share of nulls. */
  def nullShare: Double = if (counts.rows == 0) 0 else counts.nulls.toDouble / counts.rows

  /** The bounds as numbers, if the distance between them is finite. */
  def range: Option[(Double, Double)] = for {
    (least, most) <- bounds
    from <- KnownColumn.number(least)
    to <- KnownColumn.number(most) if (to - from).abs <= Double.MaxValue
  } yield (from, to)

  private def boxed(of: ((Any, Any)) => Any): Optional[Object] =
    bounds.fold(Optional.empty[Object])(both => Optional.of(of(both).asInstanceOf[Object]))
}

private[spark] object KnownColumn {

  /** Returns the statistics of fields by name; those of another type since are left out.
    *
    * @param fields
    *   top-level fields
    * @param typeOf
    *   returns a field's type in Spark
    */
  def of(dataset: Dataset, fields: Seq[Field], typeOf: Field => DataType): Map[String, KnownColumn] = {
    val config = dataset.config
    lazy val files = VersionIdentity.filesOf(dataset.manifest)
    val known = for {
      field <- fields
      text <- config.get(ColumnSummary.key(field.id))
      summary <- ColumnSummary.ofJson(text)
      kind = typeOf(field) if summary.dataType == kind.catalogString
    } yield {
      val bounds = summary.bounds.filter(_ => summary.files == files).flatMap(internal(_, field.name, kind))
      field.name -> KnownColumn(summary.counts, summary.sizes, bounds)
    }
    known.toMap
  }

  private def internal(bounds: ValueBounds, name: String, kind: DataType): Option[(Any, Any)] = Try {
    def value(text: String) =
      CatalogColumnStat.fromExternalString(text, name, kind, CatalogColumnStat.VERSION)
    (value(bounds.min), value(bounds.max))
  }.toOption

  /** Returns an internal value as a number. */
  def number(value: Any): Option[Double] = value match {
    case flag: Boolean => Some(if (flag) 1 else 0)
    case decimal: Decimal => Some(decimal.toDouble)
    case number: java.lang.Number => Some(number.doubleValue)
    case _ => None
  }
}
