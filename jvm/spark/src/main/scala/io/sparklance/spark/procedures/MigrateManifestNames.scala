package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.table.NamingMigration

private[sparklance] object MigrateManifestNames
    extends LanceProcedure(
      "migrate_manifest_names",
      "Renames the manifests of an old table, so that the latest is found faster. Nobody may use the " +
        "table meanwhile."
    ) {
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table)
  val result: StructType = StructType.fromDDL("migrated INT NOT NULL")

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val location = arguments.location
    Iterator(Seq(new NamingMigration(location.store, location.root).run()))
  }
}
