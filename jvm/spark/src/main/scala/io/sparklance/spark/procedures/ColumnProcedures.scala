package io.sparklance.spark.procedures

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.types.{DataType, StructType}

import io.sparklance.LanceUsageException
import io.sparklance.schema.{LogicalType, LogicalTypes}
import io.sparklance.spark.history.Statement
import io.sparklance.spark.schemachange.{AlterTableCommit, ColumnAlteration, NewColumn}

/** Procedures that change the columns of a table without a look at its rows. */
private[procedures] object ColumnProcedures {

  /** The new columns, as DDL or as Spark's JSON, which includes metadata. */
  private val schema = Parameter.text("schema")

  /** JSON array of objects: `path`, and the new `name`, `nullable` or `data_type`. */
  private val alterations = Parameter.text("alterations")
  private val json = new ObjectMapper
  private val keys = Set("path", "name", "nullable", "data_type")
  private val droppedColumns = Parameter.names("columns")

  val all: Vector[LanceProcedure] = Vector(
    LanceProcedure(
      "add_null_columns",
      "Adds columns that are null in all rows, and writes no data.",
      Vector(schema),
      "version BIGINT NOT NULL"
    )(addNullColumns),
    LanceProcedure(
      "alter_columns",
      "Changes names, types and nullability of columns, all in one version.",
      Vector(alterations),
      "version BIGINT NOT NULL"
    )(alterColumns),
    LanceProcedure(
      "drop_columns",
      "Drops columns, and leaves their files unchanged.",
      Vector(droppedColumns),
      "version BIGINT NOT NULL"
    )(dropColumns)
  )

  private def addNullColumns(arguments: Arguments): Iterator[Seq[Any]] = {
    val columns = schemaOf(arguments(schema))
    val statement = Statement("ADD COLUMNS", Map("columns" -> columns.fieldNames.mkString(", ")))
    AlterTableCommit.columns(arguments.location, statement) { dataset =>
      ColumnAlteration.added(dataset, columns.fields.toVector.map(NewColumn.field(_, dataset.fileVersion)))
    }
    version(arguments)
  }

  private def schemaOf(text: String): StructType =
    Try(DataType.fromJson(text)).orElse(Try(StructType.fromDDL(text))).toOption
      .collect { case columns: StructType if columns.nonEmpty => columns }
      .getOrElse(throw new LanceUsageException(
        s"'$text' is not a schema. Write columns as in CREATE TABLE, such as 'score DOUBLE, tags " +
          "ARRAY<STRING>', or as JSON."
      ))

  private def alterColumns(arguments: Arguments): Iterator[Seq[Any]] = {
    val all = alterationsOf(arguments(alterations))
    val statement = Statement("CHANGE COLUMNS", Map("alterations" -> arguments(alterations)))
    AlterTableCommit.columns(arguments.location, statement)(ColumnAlteration.applied(_, all))
    version(arguments)
  }

  private def alterationsOf(text: String): Vector[ColumnAlteration] = {
    val root =
      try json.readTree(text)
      catch { case e: JsonProcessingException => throw misfit(s"it is no JSON: ${e.getOriginalMessage}") }
    if (!root.isArray || root.isEmpty) throw misfit("it is not an array of objects")
    root.elements.asScala.map(alteration).toVector
  }

  private def alteration(node: JsonNode): ColumnAlteration = {
    node.fieldNames.asScala.find(!keys(_)).foreach(key => throw misfit(s"an object lacks the key '$key'"))
    def text(key: String): Option[String] = Option(node.get(key)).filterNot(_.isNull).map(_.asText)
    val path = text("path").getOrElse(throw misfit("an object has no path"))
    val nulls = Option(node.get("nullable")).filterNot(_.isNull).map { nullable =>
      if (nullable.asBoolean) ColumnAlteration.AllowNulls else ColumnAlteration.ForbidNulls
    }
    ColumnAlteration(path, text("name"), nulls, text("data_type").map(logicalType))
  }

  private def logicalType(name: String): LogicalType = LogicalTypes.parse(name) match {
    case LogicalType.Unknown(_) =>
      throw new LanceUsageException(
        s"'$name' is not a type of Lance. Types are, for example, int32, uint8, halffloat, double, " +
          "large_string, timestamp:us:UTC, decimal:128:38:10, fixed_size_list:halffloat:128, …"
      )
    case known => known
  }

  private def misfit(reason: String) = new LanceUsageException(
    "Argument 'alterations' must be a JSON array such as [{\"path\": \"s.a\", \"name\": \"b\", \"nullable\": true, " +
      s"\"data_type\": \"int64\"}], but $reason."
  )

  private def dropColumns(arguments: Arguments): Iterator[Seq[Any]] = {
    val names = arguments(droppedColumns)
    val statement = Statement("DROP COLUMNS", Map("columns" -> names.mkString(", ")))
    AlterTableCommit.columns(arguments.location, statement)(ColumnAlteration.dropped(_, names))
    version(arguments)
  }

  private def version(arguments: Arguments): Iterator[Seq[Any]] = Iterator(Seq[Any](arguments.latest.version))
}
