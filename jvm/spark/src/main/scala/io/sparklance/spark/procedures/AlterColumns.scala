package io.sparklance.spark.procedures

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.types.StructType

import io.sparklance.LanceUsageException
import io.sparklance.schema.{LogicalType, LogicalTypes}
import io.sparklance.spark.history.Statement
import io.sparklance.spark.schemachange.{AlterTableCommit, ColumnAlteration}

private[sparklance] object AlterColumns
    extends LanceProcedure(
      "alter_columns",
      "Changes names, types and nullability of columns, all in one version."
    ) {

  /** JSON array of objects: `path`, and the new `name`, `nullable` or `data_type`. */
  private val alterations = Parameter.text("alterations")
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, alterations)
  val result: StructType = VersionResult.columns
  private val json = new ObjectMapper
  private val keys = Set("path", "name", "nullable", "data_type")

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val all = parse(arguments(alterations))
    val statement = Statement("CHANGE COLUMNS", Map("alterations" -> arguments(alterations)))
    AlterTableCommit.columns(arguments.location, statement)(ColumnAlteration.applied(_, all))
    VersionResult.rows(arguments)
  }

  private def parse(text: String): Vector[ColumnAlteration] = {
    val root =
      try json.readTree(text)
      catch { case e: JsonProcessingException => throw misfit(s"it is no JSON: ${e.getOriginalMessage}") }
    if (!root.isArray || root.isEmpty) throw misfit("it is not an array of objects")
    root.elements.asScala.map(one).toVector
  }

  private def one(node: JsonNode): ColumnAlteration = {
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
}
