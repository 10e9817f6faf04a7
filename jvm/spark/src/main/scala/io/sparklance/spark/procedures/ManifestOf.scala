package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

private[sparklance] object ManifestOf
    extends LanceProcedure(
      "manifest",
      "Shows a version of a table; `manifest` is the message that describes it."
    ) {
  private val asOf = Parameter.time("as_of").optional
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, Parameter.version, asOf)

  val result: StructType = StructType.fromDDL(
    "version BIGINT NOT NULL, timestamp TIMESTAMP NOT NULL, branch STRING, location STRING NOT NULL, " +
      "manifest BINARY NOT NULL"
  )

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val named = arguments.dataset
    val dataset = arguments(asOf).fold(named)(named.asOf)
    val manifest = dataset.manifest
    Iterator(Seq(dataset.version, dataset.timestamp, manifest.branch, dataset.root, manifest.toBytes))
  }
}
