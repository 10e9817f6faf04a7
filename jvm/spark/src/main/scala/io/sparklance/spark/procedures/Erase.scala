package io.sparklance.spark.procedures

import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.types.StructType

import io.sparklance.spark.erasure.{Erasure, ErasureCondition, ErasureRequest}
import io.sparklance.spark.options.StoreOptions

private[sparklance] object Erase
    extends LanceProcedure(
      "erase",
      "Deletes rows, removes them from all files and versions of a table, and searches what is left for them."
    ) {
  private val condition = Parameter.text("condition")
  private val dryRun = Parameter.flag("dry_run")
  private val deleteUnverified = Parameter.flag("delete_unverified")
  private val clones = Parameter.names("clones").optional

  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, condition, dryRun, deleteUnverified, clones)

  val result: StructType = StructType.fromDDL(
    "kind STRING NOT NULL, place STRING NOT NULL, detail STRING NOT NULL, remains BOOLEAN NOT NULL"
  )

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val roots = arguments(clones).getOrElse(Vector.empty).map(StoreOptions.locate(_).root)
    val rows = ErasureCondition(arguments(condition), name(arguments(Parameter.table)))
    val request = ErasureRequest(rows, arguments(deleteUnverified), roots)
    val erasure = new Erasure(arguments.location, request)
    val findings = if (arguments(dryRun)) erasure.plan() else erasure.run()
    findings.iterator.map(found => Seq[Any](found.kind, found.place, found.detail, found.remains))
  }

  /** Returns the last part of a table's name, by which a condition may call it. */
  private def name(table: String): Option[String] =
    Option.unless(TableArgument.isPath(table))(CatalystSqlParser.parseMultipartIdentifier(table).last)
}
