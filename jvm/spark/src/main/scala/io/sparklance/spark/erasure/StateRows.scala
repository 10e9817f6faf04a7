package io.sparklance.spark.erasure

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.util.UUID

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  Expression,
  GetStructField,
  Literal,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.functions.{col, lit}
import org.apache.spark.sql.types._
import org.apache.spark.sql.{AnalysisException, Column, DataFrame, SparkSession}
import org.apache.spark.unsafe.types.UTF8String

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.erasure.StateLayer
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.spark.options.{LanceOptions, StatementContext}
import io.sparklance.spark.session.{LanceCatalogs, SqlNames, TableLocation}
import io.sparklance.spark.table.LanceTable
import io.sparklance.spark.types.BlobHandling

/** The rows of a layer as Spark shows them, deleted ones included.
  *
  * @param rows
  *   has the table's columns, blobs as descriptors
  * @param blobs
  *   names of top-level columns with blobs
  * @param version
  *   a version with these rows
  */
final private[erasure] class StateRows(
    rows: DataFrame,
    blobs: Set[String],
    condition: Option[Column],
    val version: Dataset
) {

  /** Rows that satisfy the condition; none where its columns do not exist. */
  def matching: Option[DataFrame] = condition.map(rows.where(_))

  /** Other rows, in one or two parts, each with a column that tells of which rows the condition says nothing,
    * as its columns are null or do not exist.
    */
  def others: Vector[(DataFrame, Column)] = condition.fold(Vector((rows, lit(true)))) { c =>
    // Spark takes subqueries in filters only.
    if (StateRows.hasSubquery(rows.where(c)))
      Vector((rows.where(!c), lit(false)), (rows.where(c.isNull), lit(true)))
    else Vector((rows.where(!(c <=> lit(true))), c.isNull))
  }

  /** Texts that the condition has, as characters of ISO 8859-1. */
  def literals: Set[String] = matching.fold(Set.empty[String])(StateRows.literals)

  /** Columns with texts, and blobs as their descriptors. */
  val texts: Vector[Column] = named(StateRows.hasText)

  private val compared: Vector[Vector[String]] = matching.fold(Vector.empty[Vector[String]])(
    StateRows.compared(_).filter(part => StateRows.isPlain(part._2)).map(_._1).distinct
  )

  /** Names of the columns that the condition compares, except those with texts. */
  val keyNames: Vector[String] = compared.map(_.last)

  /** Values of these columns, as texts. */
  val keys: Vector[Column] =
    compared.map(path => col(path.map(SqlNames.quoted).mkString(".")).cast(StringType))

  /** Columns with descriptors of blobs. */
  val descriptors: Vector[Column] =
    rows.schema.filter(field => blobs(field.name)).map(field => col(SqlNames.quoted(field.name))).toVector

  private def named(isWanted: DataType => Boolean): Vector[Column] = rows.schema
    .filter(field => !blobs(field.name) && isWanted(field.dataType))
    .map(field => col(SqlNames.quoted(field.name))).toVector
}

private[erasure] object StateRows {

  /** Runs `body` with the rows of a layer. A condition that does not fit the columns of an old version counts
    * as unknown there, and so does one on numbers of rows where these are not those of the table.
    */
  def of[A](
      location: TableLocation,
      layer: StateLayer,
      condition: ErasureCondition
  )(body: StateRows => A): A = {
    val session = SparkSession.active
    val place = location.at(layer.shown)
    // A name of its own, so that Spark takes no cached plan for it.
    val table = new LanceTable(s"states ${UUID.randomUUID()}", place, layer.shown)
    StatementContext.withTable(table) { name =>
      val read = session.read
        .option(LanceOptions.UseScalarIndex.name, value = false)
        .option(LanceOptions.BlobHandlingOption.name, BlobHandling.Descriptors.name)
        .table(s"${LanceCatalogs.ofPaths(session)}.$name")
      val blobs = layer.shown.schema.fields.filter(_.preOrder.exists(_.isBlob)).map(_.name).toSet
      val rows = condition.named(read)
      body(new StateRows(rows, blobs, fitting(rows, layer, condition), layer.shown))
    }
  }

  private def fitting(rows: DataFrame, layer: StateLayer, condition: ErasureCondition): Option[Column] =
    Try(rows.where(condition.column)) match {
      case Success(filtered)
          if !layer.isNumbered && compared(filtered).exists(part => isMetadata(part._1.head)) => None
      case Success(_) => Some(condition.column)
      case Failure(_: AnalysisException) if !layer.isLatest => None
      case Failure(e) => throw e
    }

  /** Columns that a filter compares, fields of structs by their paths, and their types. */
  private def compared(filtered: DataFrame): Vector[(Vector[String], DataType)] =
    filtered.queryExecution.analyzed.collectFirst { case filter: Filter =>
      filter.condition.collect {
        case part if path(part).isDefined => path(part).toVector.flatten -> part.dataType
      }
    }.toVector.flatten

  private def path(part: Expression): Option[Vector[String]] = part match {
    case column: Attribute => Some(Vector(column.name))
    case field: GetStructField => path(field.child).map(_ :+ field.extractFieldName)
    case _ => None
  }

  private def literals(filtered: DataFrame): Set[String] = filtered.queryExecution.analyzed.collectFirst {
    case filter: Filter => filter.condition.collect { case Literal(value: UTF8String, _) =>
        new String(value.getBytes, ISO_8859_1)
      }.toSet
  }.getOrElse(Set.empty)

  private def hasSubquery(filtered: DataFrame): Boolean = filtered.queryExecution.analyzed.exists {
    case filter: Filter => SubqueryExpression.hasSubquery(filter.condition)
    case _ => false
  }

  private val isMetadata: Set[String] = MetadataColumn.all.map(_.name).toSet

  private def hasText(kind: DataType): Boolean = kind match {
    case _: StringType | BinaryType => true
    case ArrayType(item, _) => hasText(item)
    case MapType(key, value, _) => hasText(key) || hasText(value)
    case StructType(fields) => fields.exists(field => hasText(field.dataType))
    case _ => false
  }

  private def isPlain(kind: DataType): Boolean = kind match {
    case _: NumericType | DateType | TimestampType | TimestampNTZType => true
    case _ => false
  }
}
