package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.Dataset
import io.sparklance.spark.metadata._

/** A procedure that lists the rows of a metadata table: `CALL lance.system.versions('t')` is
  * `SELECT * FROM t.versions`.
  *
  * @param options
  *   parameters besides the table
  */
final private[sparklance] class MetadataProcedure private (
    name: String,
    description: String,
    table: DriverTable[_],
    options: Parameter[_]*
) extends LanceProcedure(name, description) {
  val parameters: Vector[Parameter[_]] = Parameter.table +: options.toVector
  val result: StructType = table.schema

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val dataset: Dataset =
      if (parameters.contains(Parameter.version)) arguments.dataset else arguments.latest
    if (parameters.contains(Parameter.limit)) arguments.limited(table.rows(dataset)) else table.rows(dataset)
  }
}

private[sparklance] object MetadataProcedure {
  val all: Vector[MetadataProcedure] = Vector(
    new MetadataProcedure("branches", "Lists the branches of a table, except the main one.", BranchesTable),
    new MetadataProcedure(
      "fragments",
      "Lists the fragments of a version.",
      FragmentsTable,
      Parameter.version
    ),
    new MetadataProcedure(
      "index_segments",
      "Lists the segments of the indices of a version.",
      IndicesTable,
      Parameter.version
    ),
    new MetadataProcedure("tags", "Lists the tags of a table.", TagsTable),
    new MetadataProcedure(
      "versions",
      "Lists the versions of a table with their sizes, newest first.",
      VersionsTable,
      Parameter.limit
    )
  )
}
