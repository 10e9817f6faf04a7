package io.sparklance.spark.statistics

import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.catalyst.catalog.CatalogColumnStat
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Column, Row, SparkSession}

import io.sparklance.dataset.Dataset
import io.sparklance.schema.Field
import io.sparklance.spark.history.Statement
import io.sparklance.spark.options.OwnReads
import io.sparklance.spark.session.{Counted, JobDescription, Session, SqlNames, TableLocation}
import io.sparklance.table.VersionIdentity
import io.sparklance.table.transaction.{KeyChanges, Operation}
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** Collects statistics of columns by one Spark job, and commits them to the table's config. */
final private[spark] class AnalyzeJob(location: TableLocation) {

  /** Returns the statistics by column, in the table's order.
    *
    * @param columns
    *   names of top-level columns; None for all that can have statistics
    */
  def run(columns: Option[Vector[String]]): Vector[(String, ColumnSummary)] = {
    val dataset = Dataset.open(location.store, location.root)
    val rows = OwnReads.of(location, dataset)
    val types = rows.schema.map(column => column.name -> column.dataType).toMap
    val chosen = columns.fold(all(dataset, types))(named(dataset, types, _))
    if (chosen.isEmpty) Vector.empty
    else {
      val values = chosen.map(field => new AnalyzedColumn(field.name, types(field.name)))
      val title = s"lance $location version ${dataset.version}, analyze ${Counted(values.size, "column")}"
      val all = count(lit(1)) +: values.flatMap(_.aggregates)
      val found =
        JobDescription.during(
          SparkSession.active.sparkContext,
          title
        )(rows.agg(all.head, all.tail: _*).head())
      val files = VersionIdentity.filesOf(dataset.manifest)
      val starts = values.scanLeft(1)(_ + _.aggregates.size)
      val summaries = chosen.zip(values.zip(starts).map { case (column, at) =>
        column.summary(found, at, files)
      })
      commit(dataset, summaries)
      summaries.map { case (field, summary) => field.name -> summary }
    }
  }

  private def all(dataset: Dataset, types: Map[String, DataType]): Vector[Field] =
    dataset.schema.fields.filter(field => types.get(field.name).exists(AnalyzedColumn.isAnalyzable))

  private def named(dataset: Dataset, types: Map[String, DataType], names: Vector[String]): Vector[Field] = {
    val fields = dataset.schema.fields
    val chosen = names.map { name =>
      val field = fields.find(field => Session.alike(field.name, name)).getOrElse(
        throw new LanceUsageException(
          s"The table at $location has no top-level column '$name'. Its columns are ${fields.map(_.name).mkString(", ")}."
        )
      )
      types.get(field.name).filterNot(AnalyzedColumn.isAnalyzable).foreach { kind =>
        throw new UnsupportedLanceFeatureException(
          s"statistics of column '${field.name}' of type ${kind.sql} (numbers, decimals, booleans, times, strings " +
            "and binary can have them)"
        )
      }
      field.id
    }.toSet
    fields.filter(field => chosen(field.id))
  }

  private def commit(dataset: Dataset, summaries: Vector[(Field, ColumnSummary)]): Unit = {
    val entries = summaries.map { case (field, summary) =>
      ColumnSummary.key(field.id) -> Some(summary.toJson)
    }
    val operation = Operation.UpdateConfig.ofConfig(KeyChanges.Merging(entries.toMap))
    val names = summaries.map { case (field, _) => field.name }.mkString(", ")
    val _ = Statement("ANALYZE TABLE", Map("columns" -> names)).commit(dataset, operation)
  }
}

/** The aggregates of a column, and their results. */
final private class AnalyzedColumn(name: String, kind: DataType) {
  private val values = col(SqlNames.quoted(name))

  val aggregates: Vector[Column] = Vector(count(values), approx_count_distinct(values)) ++ (
    if (AnalyzedColumn.isText(kind)) Vector(avg(octet_length(values)), max(octet_length(values)))
    else Vector(min(values), max(values))
  )

  def summary(row: Row, at: Int, files: String): ColumnSummary = {
    val (rows, filled) = (row.getLong(0), row.getLong(at))
    // The estimate of distinct values may exceed the number of values.
    val counts = ValueCounts(rows, rows - filled, math.min(row.getLong(at + 1), filled))
    val isEmpty = row.isNullAt(at + 2)
    val sizes =
      if (!AnalyzedColumn.isText(kind)) ValueSizes(kind.defaultSize.toLong, kind.defaultSize.toLong)
      else if (isEmpty) ValueSizes(0, 0)
      else ValueSizes(math.ceil(row.getDouble(at + 2)).toLong, row.getInt(at + 3).toLong)
    val bounds = Option.unless(AnalyzedColumn.isText(kind) || isEmpty) {
      ValueBounds(text(row.get(at + 2)), text(row.get(at + 3)))
    }
    ColumnSummary(files, kind.catalogString, counts, sizes, bounds)
  }

  private def text(value: Any): String =
    CatalogColumnStat.toExternalString(CatalystTypeConverters.convertToCatalyst(value), name, kind)
}

private object AnalyzedColumn {

  /** Whether Spark's estimates know statistics of a type. */
  def isAnalyzable(kind: DataType): Boolean = kind match {
    case ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType | BooleanType | DateType |
        TimestampType | TimestampNTZType | StringType | BinaryType => true
    case _: DecimalType => true
    case _ => false
  }

  def isText(kind: DataType): Boolean = kind == StringType || kind == BinaryType
}
